import { compareToHeader, type Table, type TableRow } from './table.ts'

/** Number of rows from which something is guessed in any table. */
export const firstRows = 200
/** Maximum number of rows from which a mapping is guessed, in a table with few columns. */
export const maxRows = 10_000
/** Number of cells after which no more rows are read for the guess than {@link firstRows}. */
const cellsToGuess = 200_000
/** Number of values from which a column is guessed that has few values in these rows, or none. */
const valuesToGuess = 200

type SampledTable = Omit<Table, 'rows' | 'first'> & { rows: AsyncIterable<TableRow> | Iterable<TableRow> }

/**
 * Takes the rows from which a mapping is guessed: the first ones, at most as many later ones with values of a column
 * that has few, and always one with the first value of a column. Rows that repeat the header are left out.
 */
export async function sampleRows({ names, header, rows }: SampledTable): Promise<TableRow[]> {
  const repeatsHeader = compareToHeader(header)
  const limit = Math.max(firstRows, Math.min(maxRows, Math.floor(cellsToGuess / names.length)))
  const sample: TableRow[] = []
  /** The columns that have too few values, with the number of their values. */
  const counts = new Map(names.map((_, index) => [index, 0]))
  for await (const row of rows) {
    const filled = [...counts.keys()].filter(index => row.cells[index]?.trim())
    const isTelling = filled.some(index => sample.length < 2 * limit || counts.get(index) === 0)
    if ((sample.length >= limit && !isTelling) || repeatsHeader(row)) continue
    sample.push(row)
    for (const index of filled) {
      const count = (counts.get(index) ?? 0) + 1
      if (count < valuesToGuess) counts.set(index, count)
      else counts.delete(index)
    }
  }
  return sample
}
