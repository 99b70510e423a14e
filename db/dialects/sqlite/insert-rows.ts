import { CompiledQuery } from 'kysely'
import type { Db } from '../../schema.ts'

/** Rows per statement: few sizes, so that each statement is prepared once. */
const batchSizes = [64, 8, 1]

/** A row of values only. */
export const toRow = (width: number): string => `(${Array(width).fill('?').join()})`

/**
 * Inserts rows, all values of which are in one array. `insert` is the statement up to its values, `row` one row of them
 * with question marks. To build a statement with Kysely takes longer than to run it.
 */
export async function insertRows(db: Db, insert: string, row: string, values: unknown[]): Promise<void> {
  const width = row.split('?').length - 1
  let start = 0
  for (const size of batchSizes) {
    const text = `${insert} values ${Array(size).fill(row).join()}`
    for (; values.length - start >= size * width; start += size * width)
      await db.executeQuery(CompiledQuery.raw(text, values.slice(start, start + size * width)))
  }
}
