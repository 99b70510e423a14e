import { describeUnit } from '../../notations/normalize.ts'
import { findUnit } from '../../notations/numbers.ts'
import { guardCell, unguardCell } from '../../tables/cell.ts'
import { toPercent } from '../../tables/convert.ts'
import { csvStringifyOptions } from '../../tables/csv.ts'
import type { Mapping } from '../../tables/mapping.ts'
import { reasonColumn, type Table, type TableRow } from '../../tables/table.ts'
import type { Verdict } from './judge.ts'

/** Writes the rows of a table that an import has skipped as CSV, each with the reason. */
export const writeSkipped = (
  table: Omit<Table, 'rows'>,
  mapping: Mapping,
  skipped: Verdict[]
): Promise<Blob> =>
  writeRows(
    table,
    mapping,
    skipped.map(({ row, details }) => [row, details]),
    [reasonColumn]
  )

/** Writes a table as CSV, with its corrected cells. */
export const writeCorrected = (
  table: Omit<Table, 'rows'> & { rows: TableRow[] },
  mapping: Mapping
): Promise<Blob> =>
  writeRows(
    table,
    mapping,
    table.rows.map(row => [row])
  )

/** Writes rows, which can be imported by the same mapping, and other cells behind them. */
async function writeRows(
  { names, header }: Omit<Table, 'rows'>,
  { columns }: Mapping,
  rows: [row: TableRow | undefined, ...others: string[]][],
  otherHeaders: string[] = []
): Promise<Blob> {
  // Loaded on demand: it is rarely used.
  const { stringify } = await import('csv-stringify/browser/esm/sync')
  const lines = rows.map(([row, ...others]) => {
    const cells = names.map((name, at) => {
      const cell = row?.cells[at] ?? ''
      const hasComma = columns[name]?.notation === '1.234,5' && row?.numbers?.includes(at)
      const unit = row?.units?.[at]
      const number = unit === '%' && findUnit(columns[name]?.to ?? '') === '%' ? toPercent(cell) : cell
      const text = hasComma ? number.replace('.', ',') : number
      // The unit is a part of the cell if the trait has another one, or its numbers need one.
      const hasUnit = unit && (columns[name]?.needsUnit || describeUnit(unit, columns[name]?.to ?? ''))
      return guardCell(unguardCell(hasUnit ? `${text} ${unit}` : text))
    })
    return [...cells, ...others.map(guardCell)]
  })
  const title = names.map((_, at) => header.cells[at] ?? '')
  const text = stringify([[...title, ...otherHeaders], ...lines], csvStringifyOptions)
  // The byte order mark tells spreadsheet programs that the file is UTF-8.
  return new Blob([`\uFEFF${text}`])
}
