import { dateNotations } from '../../notations/dates.ts'
import { guessKind, hasForm } from '../../notations/guess.ts'
import { isLink, normalizeText } from '../../notations/normalize.ts'
import { findUnit, readNumbers } from '../../notations/numbers.ts'
import { readValue, unguardCell } from '../../tables/cell.ts'
import { type MappedColumn, type Mapping, mapColumns, numberKinds, targetOf } from '../../tables/mapping.ts'
import { firstRows } from '../../tables/sample.ts'
import type { Table, TableRow } from '../../tables/table.ts'

/** A valid cell that looks wrong compared with the rest of its column. */
export interface OddCell {
  column: string
  message: string
}

interface Cell {
  row: TableRow
  text: string
}

/** Finds odd cells, by the lines of their rows. */
export function findOdd(
  { names, header, rows }: Pick<Table, 'names' | 'header'> & { rows: TableRow[] },
  mapping: Mapping
): Map<number, OddCell[]> {
  const found = new Map<number, OddCell[]>()
  for (const column of mapColumns(names, mapping, header.line)) {
    const cells = rows
      .map(row => ({ row, text: readCell(row.cells[column.index]) }))
      .filter(({ text }) => text !== '')
    const odd = [
      ...findNegative(column, cells),
      ...findUnlinked(column, cells),
      ...findUndated(column, cells),
      ...findUnusual(column, cells),
      ...findShortened(cells),
      ...findTwice(column, cells, mapping)
    ]
    for (const [{ line }, message] of odd)
      found.set(line, [...(found.get(line) ?? []), { column: column.header, message }])
  }
  return found
}

/**
 * An export writes an empty text as two quotes. Unguards only cells that start with an apostrophe, because a table may
 * have millions of cells.
 */
function readCell(cell = ''): string {
  const text = cell.trim()
  if (text === '""') return ''
  return text.startsWith("'") ? unguardCell(text) : text
}

type Odd = [TableRow, string][]

const amount = /price|amount|cost|preis|betrag|kosten|precio|importe|prix|montant|preço|valor/i

/** Finds negative numbers that are rare in their column, or in a column of prices. */
function findNegative({ header, name }: MappedColumn, cells: Cell[]): Odd {
  const negative = cells.filter(({ text }) => text.includes('-') && /^-/.test(toNumber(text)))
  if (negative.length === 0) return []
  const numbers = cells.filter(({ text }) => toNumber(text) !== '').length
  const isRare = numbers >= 3 && negative.length <= Math.max(1, numbers / 10)
  if (!isRare && !amount.test(`${header} ${name}`)) return []
  return negative.map(({ row }) => [row, 'is negative'])
}

/** Returns a number without its currency; empty if the text is not a number. */
function toNumber(text: string): string {
  const [number = ''] = readNumbers(text.replaceAll(/[\p{Sc}\s]/gu, '')) ?? []
  return number
}

/** Finds other texts in a column of links, such as photos. In a column of the kind, they are a problem instead. */
function findUnlinked({ as }: MappedColumn, cells: Cell[]): Odd {
  if (as === 'link' || as === 'picture') return []
  const others = cells.filter(({ text }) => !/[:{]/.test(text) || !isLink(text))
  return others.length < cells.length / 2
    ? others.map(({ row }) => [row, 'is not a link, unlike most others'])
    : []
}

/** Finds other texts in a column of texts that are dates. In a column of the kind, they are a problem instead. */
function findUndated({ as }: MappedColumn, cells: Cell[]): Odd {
  if (as !== 'text') return []
  const others = cells.filter(({ text }) => !hasForm('date', text))
  return others.length < cells.length / 2
    ? others.map(({ row }) => [row, 'is not a date, unlike most others'])
    : []
}

/** Finds long numbers, such as barcodes, of which a spreadsheet has kept the first digits. */
const findShortened = (cells: Cell[]): Odd =>
  cells
    .filter(({ text }) => /^\d[.,]\d+E\+\d\d$/.test(text))
    .map(({ row }) => [row, 'has lost digits in a spreadsheet'])

const stored = /^(?:-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d)$/

/** Finds amounts and dates of an export that are not written as most others of the trait, because it stores them so. */
function findUnusual({ as, kind, name }: MappedColumn, cells: Cell[]): Odd {
  if (as !== 'value' || kind !== 'trait') return []
  // An export writes texts of digits in quotes.
  const values = cells.map(({ row, text }) => ({ row, text: String(readValue(text)) }))
  const found = guessKind(values.slice(0, firstRows).map(({ text }) => text))
  const isMeasure = findUnit(name) !== undefined && numberKinds.includes(found)
  if (!isMeasure && found !== 'decimal' && found !== 'money' && found !== 'date') return []
  const form = found === 'date' ? found : isMeasure ? 'decimal' : 'money'
  const notations = found === 'date' ? dateNotations : (['1,234.5'] as const)
  const others = values.filter(({ text }) => !stored.test(text) && hasForm(form, text))
  if (others.length >= values.length / 2) return []
  return others.flatMap(({ row, text }) => {
    const readings = notations.map(preferred => normalizeText(text, { as: form, name, preferred }))
    const texts = [...new Set(readings.map(reading => ('text' in reading ? reading.text : '')))]
    if (texts.includes(text)) return []
    const [problem] = readings.flatMap(reading => ('problem' in reading ? reading.problem : []))
    return [[row, problem ?? `is not written like most others: write ${texts.join(' or ')}`]]
  })
}

/** Finds keys and product ids that several rows have. All but the first row with a key have a problem instead. */
function findTwice({ header }: MappedColumn, cells: Cell[], { columns, key }: Mapping): Odd {
  const to = columns[header]?.to
  const isKey = key !== null && key !== 'id' && to === targetOf(key)
  if (!isKey && to !== targetOf('productId')) return []
  const groups = [...Map.groupBy(cells, ({ text }) => text).values()]
  return groups.flatMap(([first, ...others]) =>
    !first || !others[0]
      ? []
      : [
          [first.row, describeTwice(others[0])],
          ...(isKey ? [] : others.map(({ row }): Odd[number] => [row, describeTwice(first)]))
        ]
  )
}

const describeTwice = ({ row }: Cell): string => `row ${row.line} has the same`
