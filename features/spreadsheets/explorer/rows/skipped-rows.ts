import { guardCell, unguardCell } from '../../tables/cell.ts'
import { csvStringifyOptions } from '../../tables/csv.ts'
import type { Mapping } from '../../tables/mapping.ts'
import { reasonColumn } from '../../tables/read-table.ts'
import type { OpenTable } from '../file/open-file.ts'
import type { Verdict } from './judge.ts'

/**
 * Writes the rows of a table that an import has skipped as CSV, each with the reason. Corrected, the file can be
 * imported by the same mapping.
 */
export async function writeSkipped(
  { names, header }: OpenTable,
  { columns }: Mapping,
  skipped: Verdict[]
): Promise<Blob> {
  // Loaded on demand: it is rarely used.
  const { stringify } = await import('csv-stringify/browser/esm/sync')
  const rows = skipped.map(({ row, details }) => {
    const cells = names.map((name, at) => {
      const cell = row?.cells[at] ?? ''
      const hasComma = columns[name]?.notation === '1.234,5' && row?.numbers?.includes(at)
      return guardCell(unguardCell(hasComma ? cell.replace('.', ',') : cell))
    })
    return [...cells, guardCell(details)]
  })
  const title = names.map((_, at) => header.cells[at] ?? '')
  const text = stringify([[...title, reasonColumn], ...rows], csvStringifyOptions)
  // The byte order mark tells spreadsheet programs that the file is UTF-8.
  return new Blob([`\uFEFF${text}`])
}
