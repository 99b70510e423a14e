import { engineOfUrl } from './dialects/engine.ts'
import type { DatabaseOptions } from './dialects/interface.ts'
import { migrate } from './migrate.ts'
import type { Db, Transaction } from './schema.ts'
import { readInSnapshot } from './transaction.ts'
import type { postgresDefaults } from './url.ts'

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the latest version. The caller closes it with
 * `db.destroy()`. Throws StartError if the database cannot be used.
 */
export const openDatabase = async (url: string, options: DatabaseOptions = {}): Promise<Db> =>
  engineOfUrl(url).open(url, options, migrate)

/**
 * Runs a job on a snapshot of the database of a `DATABASE_URL`. Changes nothing, and runs no migration. Throws StartError
 * if a SQLite file cannot be opened, otherwise the error of the driver.
 */
export async function inspectDatabase<T>(
  url: string,
  settings: typeof postgresDefaults,
  job: (snapshot: Transaction) => Promise<T>
): Promise<T> {
  const db = await engineOfUrl(url).openUnchanged(url, settings)
  try {
    return await readInSnapshot(db, job)
  } finally {
    await db.destroy()
  }
}
