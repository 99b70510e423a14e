import { unguardCell } from '../../tables/cell.ts'
import { anyNumber } from '../../tables/convert.ts'
import { isLink } from '../../tables/guess.ts'
import { type MappedColumn, type Mapping, mapColumns, targetOfKey } from '../../tables/mapping.ts'
import type { Table } from '../../tables/read-table.ts'
import type { TableRow } from '../../tables/table.ts'

/** A cell that the service takes, but that looks wrong beside the others of its column. */
export interface OddCell {
  /** The name of the column. */
  column: string
  message: string
}

interface Cell {
  row: TableRow
  text: string
}

/** Finds the cells that look wrong, by the lines of their rows. */
export function findOdd(
  { names, header, rows }: Omit<Table, 'rows'> & { rows: TableRow[] },
  mapping: Mapping
): Map<number, OddCell[]> {
  const found = new Map<number, OddCell[]>()
  for (const column of mapColumns(names, mapping, header.line)) {
    const cells = rows
      .map(row => ({ row, text: unguardCell(row.cells[column.index] ?? '').trim() }))
      .filter(({ text }) => text !== '')
    const odd = [...findNegative(column, cells), ...findUnlinked(cells), ...findTwice(column, cells, mapping)]
    for (const [{ line }, message] of odd)
      found.set(line, [...(found.get(line) ?? []), { column: column.header, message }])
  }
  return found
}

type Odd = [TableRow, string][]

const amount = /price|amount|cost|preis|betrag|kosten|precio|importe|prix|montant|preço|valor/i

/** Numbers below zero among others that are not, or in a column of prices. */
function findNegative({ header, name }: MappedColumn, cells: Cell[]): Odd {
  const numbers = cells
    .map(({ row, text }) => ({ row, text: text.replaceAll(/[\p{Sc}\s]/gu, '') }))
    .filter(({ text }) => anyNumber.test(text))
  const negative = numbers.filter(({ text }) => text.startsWith('-'))
  const isRare = numbers.length >= 3 && negative.length <= Math.max(1, numbers.length / 10)
  if (!isRare && !amount.test(`${header} ${name}`)) return []
  return negative.map(({ row }) => [row, 'is negative'])
}

/** Texts among links, such as those of photos. */
function findUnlinked(cells: Cell[]): Odd {
  const others = cells.filter(({ text }) => !isLink(text))
  return others.length < cells.length / 2
    ? others.map(({ row }) => [row, 'is not a link, unlike most others'])
    : []
}

/** Product ids that several rows have. If they are the key, this is a problem, not odd. */
function findTwice({ header }: MappedColumn, cells: Cell[], { columns, key }: Mapping): Odd {
  if (columns[header]?.to !== targetOfKey.productId || key === 'productId') return []
  const groups = [...Map.groupBy(cells, ({ text }) => text).values()]
  return groups.flatMap(([first, ...others]) =>
    !first || !others[0]
      ? []
      : [
          [first.row, describeTwice(others[0])],
          ...others.map(({ row }): Odd[number] => [row, describeTwice(first)])
        ]
  )
}

const describeTwice = ({ row }: Cell): string => `row ${row.line} has the same`
