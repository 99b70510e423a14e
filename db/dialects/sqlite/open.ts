import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import type { Database } from '../../schema.ts'
import { defaultDatabase, sqlitePath } from '../../url.ts'
import type { Engine } from '../interface.ts'
import { SqliteDialect } from './dialect.ts'
import { openReader } from './file/handle.ts'
import { cannotUse, openSqlite } from './file/open.ts'
import { busyTimeout } from './file/writers.ts'

/** Opens the database of a URL and migrates it. Only the directory of the default database is created. */
export const openMigrated: Engine['open'] = async (url, { mustExist = false }, migrate) => {
  const makeDirectory = url === defaultDatabase && !mustExist
  const file = openSqlite(sqlitePath(url), mustExist, makeDirectory)
  // Another handle on `:memory:` would be another database.
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

/** Opens a file for reading. Afterwards it is the same, byte for byte. */
export const openUnchanged: Engine['openUnchanged'] = async url => {
  const path = sqlitePath(url)
  try {
    // If a killed process has left a WAL, the last handle writes it into the file, unless it is read-only. If there is no WAL,
    // a read-only handle would leave an empty one behind.
    const hasLog = existsSync(`${path}-wal`)
    return new SqliteDialect(
      hasLog ? new Sqlite(path, { readonly: true, timeout: busyTimeout }) : openReader(path)
    )
  } catch (error) {
    throw cannotUse(path, error)
  }
}
