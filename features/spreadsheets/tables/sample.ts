import type { TableRow } from './table.ts'

/** Number of rows from which a mapping is guessed. */
export const rowsToGuess = 10_000
/** Number of values from which a column is guessed that has few values in these rows, or none. */
const valuesToGuess = 200

/** Takes the rows from which a mapping is guessed: the first ones, and later ones with the first values of a column. */
export async function sampleRows(rows: AsyncIterable<TableRow> | Iterable<TableRow>): Promise<TableRow[]> {
  const sample: TableRow[] = []
  const counts: number[] = []
  for await (const row of rows) {
    const filled = [...row.cells.keys()].filter(index => row.cells[index]?.trim())
    const isTelling = filled.some(index => (counts[index] ?? 0) < valuesToGuess)
    if (sample.length >= rowsToGuess && !isTelling) continue
    sample.push(row)
    for (const index of filled) counts[index] = (counts[index] ?? 0) + 1
  }
  return sample
}
