import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { engineOf } from './dialects/engine.ts'
import { openPostgres } from './dialects/postgres/open.ts'
import { SqliteDialect } from './dialects/sqlite/dialect.ts'
import { cannotUse, openReader } from './dialects/sqlite/open.ts'
import { busyTimeout } from './dialects/sqlite/writers.ts'
import type { Database, Db } from './schema.ts'
import { isPostgres, type postgresDefaults, sqlitePath } from './url.ts'

/**
 * Runs a job on a snapshot of the database of a `DATABASE_URL`, without migrating or changing anything. Throws StartError
 * if a SQLite file cannot be opened, otherwise the error of the driver.
 */
export async function inspectDatabase<T>(
  url: string,
  settings: typeof postgresDefaults,
  job: (db: Db) => Promise<T>
): Promise<T> {
  const dialect = isPostgres(url)
    ? await openPostgres(url, { ...settings, databasePoolSize: 1 })
    : new SqliteDialect(openUnchanged(sqlitePath(url)))
  const db = new Kysely<Database>({ dialect })
  const begin = isPostgres(url) ? sql`begin isolation level repeatable read, read only` : sql`begin`
  try {
    return await db.connection().execute(async connection => {
      engineOf(connection)
      await begin.execute(connection)
      try {
        return await job(connection)
      } finally {
        await sql`rollback`.execute(connection).catch(() => {})
      }
    })
  } finally {
    await db.destroy()
  }
}

/** Opens a file so that it is the same afterwards, byte for byte. */
function openUnchanged(path: string): Sqlite.Database {
  try {
    // The last handle writes the WAL of a killed process into the file unless it is read-only. Without a WAL, a read-only
    // handle would leave an empty one behind.
    if (!existsSync(`${path}-wal`)) return openReader(path)
    return new Sqlite(path, { readonly: true, timeout: busyTimeout })
  } catch (error) {
    throw cannotUse(path, error)
  }
}
