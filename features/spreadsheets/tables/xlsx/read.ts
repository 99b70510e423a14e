import { FormatError } from '../../../../domain/format-error.ts'
import { isSheetError } from '../cell.ts'
import type { TableRow } from '../table.ts'
import { fillMergedCells, readColumn, readMergedRanges } from './merged-cells.ts'
import { formatNumber, makeUnitFinder, noDay } from './number-format.ts'
import {
  decodeEscapes,
  findLargest,
  isTrue,
  type Parts,
  readFormats,
  readParts,
  readStrings
} from './workbook.ts'
import { readXml, type XmlEvent } from './xml.ts'
import { makeUnreadable, Zip } from './zip.ts'

/** An open workbook. */
interface Workbook {
  /** The names of the sheets with cells. */
  sheets: string[]
  /** The requested one, or else the largest visible one. */
  sheet: string
  /**
   * Reads the rows of a sheet, also hidden ones. A cell has the text that the spreadsheet shows, in a form without a
   * language.
   */
  rows(sheet: string): AsyncGenerator<TableRow>
}

/** Opens a workbook. Throws FormatError, and so do its rows. */
export async function openWorkbook(bytes: Uint8Array, requested?: string): Promise<Workbook> {
  try {
    const zip = new Zip(bytes)
    const parts = await readParts(zip)
    const { sheets } = parts
    const sheet = requested ?? (await findLargest(zip, sheets))?.name
    if (sheet === undefined) throw makeUnreadable('it has no sheet with cells')
    return {
      sheets: sheets.map(({ name }) => name),
      sheet,
      rows: name => readRows(zip, parts, name)
    }
  } catch (error) {
    throw toFormatError(error)
  }
}

/** Platforms have different words for packed data and text that are damaged, or none. */
const toFormatError = (error: unknown): FormatError =>
  error instanceof FormatError ? error : makeUnreadable()

async function* readRows(
  zip: Zip,
  { sheets, is1904, ...parts }: Parts,
  name: string
): AsyncGenerator<TableRow> {
  const part = sheets.find(sheet => sheet.name === name)?.part
  if (part === undefined) throw new FormatError(`the workbook has no sheet ${name}`)
  try {
    if (!zip.has(part)) throw makeUnreadable('the cells of the sheet are missing')
    const strings = await readStrings(zip, parts.strings)
    const formats = await readFormats(zip, parts.styles)
    const fill = fillMergedCells(await readMergedRanges(zip.read(part)))
    const reader = new RowReader({ strings, formats, units: formats.map(makeUnitFinder), is1904 })
    for await (const events of readXml(zip.read(part)))
      for (const event of events) {
        const row = reader.take(event)
        if (row) yield fill(row)
      }
  } catch (error) {
    throw toFormatError(error)
  }
}

interface Context {
  strings: string[]
  formats: string[]
  /** Return the text that each format shows beside a number. */
  units: ReturnType<typeof makeUnitFinder>[]
  is1904: boolean
}

/** Maximum number of columns of a sheet. */
const maxColumns = 16_384

const decimal = /^-?\d+\.\d+$/

/** Makes rows of the events of a sheet. */
class RowReader {
  readonly #context: Context
  #row: TableRow = { cells: [], line: 0 }
  #column = 0
  #type = ''
  #style = '0'
  #isFormula = false
  #value = ''
  /** Whether text belongs to the value, not to a formula or a reading aid. */
  #isInValue = false
  #isAid = false

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the row that ends with the event, unless it is empty. */
  take(event: XmlEvent): TableRow | undefined {
    if (event.start !== undefined) this.#begin(event.start, event.attributes)
    else if (event.end !== undefined) return this.#end(event.end)
    else if (this.#isInValue && !this.#isAid) this.#value += event.text
    return undefined
  }

  #begin(name: string, attributes: Record<string, string>): void {
    if (name === 'row') {
      this.#row = { cells: [], line: Number(attributes.r ?? this.#row.line + 1) }
      if (isTrue(attributes.hidden)) this.#row.isHidden = true
      this.#column = 0
    } else if (name === 'c') {
      const { r: place, t: type = 'n', s: style = '0' } = attributes
      this.#column = place === undefined ? this.#column + 1 : readColumn(place)
      this.#type = type
      this.#style = style
      this.#isFormula = false
      this.#value = ''
    } else if (name === 'v' || name === 't') this.#isInValue = true
    else if (name === 'f') this.#isFormula = true
    else if (name === 'rPh') this.#isAid = true
  }

  #end(name: string): TableRow | undefined {
    if (name === 'v' || name === 't') this.#isInValue = false
    if (name === 'rPh') this.#isAid = false
    if (name === 'c') this.#endCell()
    return name === 'row' && this.#row.cells.length > 0 ? this.#row : undefined
  }

  #endCell(): void {
    const text = this.#readCell()
    if (text === '') return
    if (!(this.#column <= maxColumns)) throw makeUnreadable('a cell has no valid column')
    while (this.#row.cells.length < this.#column) this.#row.cells.push('')
    this.#row.cells[this.#column - 1] = text
    if (this.#type === 'n' && decimal.test(text)) {
      this.#row.numbers ??= []
      this.#row.numbers.push(this.#column - 1)
    }
    const findUnit = this.#context.units[Number(this.#style)]
    const unit = this.#type === 'n' && this.#style !== '0' && findUnit?.(Number(this.#value))
    if (unit) {
      this.#row.units ??= {}
      this.#row.units[this.#column - 1] = unit
    }
  }

  #readCell(): string {
    const value = this.#value
    if (this.#type === 'str' || this.#type === 'inlineStr') return decodeEscapes(value)
    // A program that does not calculate writes no result.
    if (value.trim() === '') return this.#isFormula ? '#CALC!' : ''
    switch (this.#type) {
      case 's':
        return find(this.#context.strings, value)
      case 'b':
        return String(isTrue(value))
      case 'e':
        return isSheetError(value) ? value : '#VALUE!'
      case 'd':
        return this.#readNumber(readIsoDate(value, this.#context.is1904), 'd')
      default:
        return this.#readNumber(Number(value))
    }
  }

  /** Reads a number. `usual` is the format without another one. */
  #readNumber(value: number, usual = 'General'): string {
    if (!Number.isFinite(value)) return this.#value
    const format = this.#style === '0' ? 'General' : find(this.#context.formats, this.#style)
    return formatNumber(value, format === 'General' ? usual : format, this.#context.is1904)
  }
}

/**
 * Finds the text or format that a cell refers to. Throws FormatError if it is missing: the cell would have another
 * value.
 */
function find(texts: string[], index: string): string {
  const text = texts[Number(index)]
  if (text === undefined) throw makeUnreadable('a cell refers to a text or a format that is missing')
  return text
}

/** Reads a date of a strict workbook, which may be a time of day alone, as the number that others have. */
function readIsoDate(text: string, is1904: boolean): number {
  const [, date = '1899-12-30', time = '00:00'] = /^(?=\d)(\d+-\d+-\d+)?T?(\d+:[\d:.]+)?/.exec(text) ?? [
    '',
    ''
  ]
  const days = (Date.parse(`${date}T${time}Z`) - Date.UTC(1899, 11, 30)) / 86_400_000
  return is1904 ? days - 1462 : days >= 1 && days <= noDay ? days - 1 : days
}
