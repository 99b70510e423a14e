import { Kysely } from 'kysely'
import { engineOfUrl } from './dialects/engine.ts'
import type { Database, Db } from './schema.ts'
import type { postgresDefaults } from './url.ts'

/**
 * Runs a job on a snapshot of the database of a `DATABASE_URL`, without migrating or changing anything. Throws StartError
 * if a SQLite file cannot be opened, otherwise the error of the driver.
 */
export async function inspectDatabase<T>(
  url: string,
  settings: typeof postgresDefaults,
  job: (db: Db) => Promise<T>
): Promise<T> {
  const db = new Kysely<Database>({ dialect: await engineOfUrl(url).openUnchanged(url, settings) })
  try {
    return await db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(job)
  } finally {
    await db.destroy()
  }
}
