import { statSync } from 'node:fs'
import { engineOf, engineOfUrl, memoizeByDatabase } from './dialects/engine.ts'
import type { DatabaseFile, DatabaseOptions } from './dialects/interface.ts'
import { type Migrations, migrate } from './migrate.ts'
import type { Db } from './schema.ts'
import { attachReplica } from './templates/snapshot.ts'
import { isInMemory } from './url.ts'

/** The data for opening a database once more, also on another thread. */
export interface DatabaseSource {
  url: string
  options: DatabaseOptions
  /** undefined on PostgreSQL. */
  file: DatabaseFile | undefined
}

const sources = memoizeByDatabase<{ source?: DatabaseSource }>(() => ({}))

/** Returns the source of a database; undefined if it is in memory, or {@link openMigrated} has not opened it. */
export const sourceOf = (db: Db): DatabaseSource | undefined => sources(db).source

/** Opens the database of a `DATABASE_URL` and runs the missing migrations. Throws StartError if it cannot be used. */
export async function openMigrated(
  url: string,
  migrations: Migrations,
  options: DatabaseOptions
): Promise<Db> {
  const db = await engineOfUrl(url).open(url, options, db => migrate(db, migrations))
  const path = await engineOf(db).findFile(db)
  const file = path === undefined ? undefined : { path, inode: statSync(path).ino }
  if (!isInMemory(url)) sources(db).source = { url, options, file }
  return db
}

/** PostgreSQL connections of a thread to each database. A thread writes nothing while it reads a snapshot. */
const connectionsPerThread = 1

/**
 * Opens a database, and the replica at `readUrl`, once more for another thread of the process. Runs no migration.
 * Rejects with SQLITE_READONLY_DBMOVED if another file has replaced the database file.
 */
export async function reopenDatabase(
  { url, file, ...source }: DatabaseSource,
  readUrl: string | undefined
): Promise<Db> {
  const options = { ...source.options, databasePoolSize: connectionsPerThread, endsWithClient: true }
  const db = await engineOfUrl(url).openForThread(url, options, file)
  if (readUrl !== undefined) await attachReplica(db, readUrl, options)
  return db
}
