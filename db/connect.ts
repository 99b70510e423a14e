import { Kysely, sql } from 'kysely'
import { SqliteDialect } from './dialects/sqlite.ts'
import { openSqlite } from './dialects/sqlite-file.ts'
import { migrate } from './migrate.ts'
import type { Database, Db } from './schema.ts'
import { defaultDatabase, sqlitePath } from './url.ts'

/**
 * Opens the database that a `DATABASE_URL` names and brings it to the newest version. The caller closes
 * it with `db.destroy()`. Throws StartError when the database cannot be used.
 */
export async function openDatabase(url: string, { mustExist = false } = {}): Promise<Db> {
  const file = openSqlite({
    path: sqlitePath(url),
    mustExist,
    makeDirectory: url === defaultDatabase && !mustExist
  })
  const db = new Kysely<Database>({ dialect: new SqliteDialect(file) })
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Asks the database for an answer; rejects when it has none. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
