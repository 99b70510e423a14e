import { CompiledQuery } from 'kysely'
import type { Db } from '../../schema.ts'

/** Rows per statement: few sizes, so that each statement is prepared once. */
const batchSizes = [64, 8, 1]

/**
 * Inserts rows of `width` values, all of which are in one array. `insert` is the statement up to its values. To build a
 * statement with Kysely takes longer than to run it.
 */
export async function insertRows(db: Db, insert: string, width: number, values: unknown[]): Promise<void> {
  const row = `(${Array(width).fill('?').join()})`
  let start = 0
  for (const size of batchSizes) {
    const text = `${insert} values ${Array(size).fill(row).join()}`
    for (; values.length - start >= size * width; start += size * width)
      await db.executeQuery(CompiledQuery.raw(text, values.slice(start, start + size * width)))
  }
}
