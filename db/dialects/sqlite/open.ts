import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Database } from '../../schema.ts'
import { defaultDatabase, sqlitePath } from '../../url.ts'
import type { Engine } from '../interface.ts'
import { SqliteDialect } from './dialect.ts'
import { cannotUse, openReader, openSqlite } from './file/open.ts'
import { busyTimeout } from './file/writers.ts'

/**
 * Opens the database of a URL and migrates it. Only the directory of the default database is created: a path with a typo
 * must fail instead.
 */
export const openMigrated: Engine['open'] = async (url, { mustExist = false }, migrate) => {
  const makeDirectory = url === defaultDatabase && !mustExist
  const file = openSqlite(sqlitePath(url), mustExist, makeDirectory)
  // A database in memory exists only in its one handle.
  const dialect = new SqliteDialect(file, file.memory ? file : openReader(file.name))
  const db = new Kysely<Database>({ dialect })
  try {
    await migrate(db)
    return db
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Opens a file so that it is the same afterwards, byte for byte. */
export const openUnchanged: Engine['openUnchanged'] = async url => {
  const path = sqlitePath(url)
  try {
    // The last handle writes the WAL of a killed process into the file unless it is read-only. Without a WAL, a read-only
    // handle would leave an empty one behind.
    const hasLog = existsSync(`${path}-wal`)
    return new SqliteDialect(
      hasLog ? new Sqlite(path, { readonly: true, timeout: busyTimeout }) : openReader(path)
    )
  } catch (error) {
    throw cannotUse(path, error)
  }
}
