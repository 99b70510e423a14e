import { integer, parseInteger } from '../../../runtime/json-values.ts'
import {
  describeMissing,
  describeNumber,
  describeUnit,
  type Form,
  normalizeText,
  readYesOrNo
} from '../notations/normalize.ts'
import { findUnit, splitMeasure } from '../notations/numbers.ts'
import { isSheetError, tryParseExactly, writeValue } from './cell.ts'
import { type MappedColumn, numberKinds } from './mapping.ts'

/** A cell as `export` writes it, or a problem. Without both, the cell has no value. */
interface Converted {
  cell?: string
  problem?: string
}

/** What decides how the cells of a column are read. */
type CellForm = Pick<MappedColumn, 'as' | 'name' | 'notation' | 'needsUnit'>

/**
 * Converts a cell of any table to the form of an export. Cells of an export stay as they are. An empty cell of
 * another table has no value. `isNumber` tells that a workbook has the cell as a number, and `unit` what it shows
 * beside.
 */
export function convertCell(
  raw: string,
  form: CellForm,
  { isNumber, unit }: { isNumber?: boolean | undefined; unit?: string | undefined } = {}
): Converted {
  // Shops write an apostrophe before digits, so that spreadsheets keep them all. In `'68`, it is part of the text.
  const guard = numberKinds.includes(form.as) ? /^'(?=\d+$)/ : /^'(?=0\d*$|\d{8,}$)/
  const text = raw.trim().replace(guard, '')
  if (isSheetError(text)) return { problem: `has the error ${text}: correct it in the spreadsheet` }
  if (form.as === 'value') return { cell: raw }
  if (text === '') return {}
  const otherUnit = unit && numberKinds.includes(form.as) ? describeUnit(unit, form.name) : undefined
  if (otherUnit) return { problem: otherUnit }
  // A workbook has 0.19 for 19 %.
  if (unit === '%' && findUnit(form.name) === '%')
    return convertCell(toPercent(text), { ...form, needsUnit: false }, { isNumber })
  const amount = unit && form.needsUnit ? `${text} ${unit}` : text
  switch (form.as) {
    case 'number':
      return readWhole(amount, form)
    case 'decimal':
    case 'money':
      return convertForm(amount, { ...form, as: form.as, ...(isNumber && { notation: '1,234.5' }) })
    case 'date':
      return convertForm(text, { ...form, as: form.as })
    case 'boolean': {
      const value = readYesOrNo(text)
      return value === undefined ? { problem: 'must be yes or no' } : { cell: String(value) }
    }
    case 'list':
      return { cell: JSON.stringify(splitList(text)) }
    case 'link':
    case 'picture':
      return convertForm(text, { ...form, as: 'link' })
    default:
      return { cell: writeValue(text) }
  }
}

/** Reads a whole number in the unit that the name of the trait has. */
function readWhole(text: string, { name, needsUnit }: CellForm): Converted {
  const expected = findUnit(name)
  const { number, unit } = splitMeasure(text) ?? { number: text }
  const whole = unit === expected ? number : text
  if (parseInteger(whole) === undefined)
    return { problem: describeNumber(whole, 'a whole number', text => integer.test(text)) }
  return needsUnit && unit === undefined ? { problem: describeMissing(whole, expected) } : { cell: whole }
}

/** Multiplies a number of a workbook, which has 15 digits, by a hundred. */
export const toPercent = (text: string): string => String(Number((Number(text) * 100).toPrecision(15)))

function convertForm(text: string, form: Form): Converted {
  const reading = normalizeText(text, form)
  return 'problem' in reading ? reading : { cell: writeValue(reading.text) }
}

/** An item in quotes, with quotes in it twice; a number; a separator; or other text. */
const tokens =
  /(?<=(?:^|[,;\r\n])\s*)"((?:[^"]|"")*)"(?=\s*(?:[,;\r\n]|$))|(?<!\d[.,]?)(?:\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+[.,]\d+)(?![.,]?\d)|[,;\r\n]|[^",;\r\n\d]+|[\s\S]/g

/**
 * Splits a list of texts. It is a JSON list, or its items are separated by semicolons and line breaks or, without
 * these, by commas. An item may be in quotes. A comma inside a number separates nothing.
 */
function splitList(text: string): string[] {
  const parsed = text.startsWith('[') ? parseList(text) : undefined
  if (parsed) return parsed.map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
  const [, bracketed = text] = /^\[([^[\]]*)\]$/.exec(text) ?? []
  const found = [...bracketed.matchAll(tokens)]
  const separator = found.some(([token]) => /^[;\r\n]/.test(token)) ? /^[;\r\n]$/ : /^,$/
  const items = ['']
  for (const [token, quoted] of found)
    if (quoted === undefined && separator.test(token)) items.push('')
    else items.push(items.pop() + (quoted?.replaceAll('""', '"') ?? token))
  return items.map(item => item.trim()).filter(item => item !== '')
}

/** Parses a list in JSON, or in apostrophes as Python writes it. */
function parseList(text: string): unknown[] | undefined {
  const list = tryParseExactly(text) ?? tryParseExactly(text.replaceAll("'", '"'))
  return Array.isArray(list) ? list : undefined
}
