import type { Db } from '../db/schema.ts'
import { StartError } from '../errors.ts'
import type { SettingSources } from '../options/sources.ts'
import type { ProcessSettings } from '../options.ts'
import { UsageError } from './terminal/command.ts'

/** Seconds for a statement of a command that reads or writes all templates: at the end it vacuums their tables. */
export const bulkQueryTimeout = 3600

/** Opens the configured database, runs a job on it and closes it. It must exist unless `mustExist` is false. */
export async function withStore<T>(
  sources: SettingSources,
  job: (db: Db, settings: ProcessSettings) => Promise<T>,
  options: { mustExist?: boolean; databaseQueryTimeout?: number } = {}
): Promise<T> {
  // Only here, so that help and wrong usage need no database.
  const { readSettings } = await import('../options.ts')
  const { openDatabase } = await import('../db/connect.ts')
  const { settings } = readSettings(sources)
  const db = await openDatabase(settings.database, { mustExist: true, ...settings, ...options })
  try {
    return await job(db, settings)
  } finally {
    await db.destroy()
  }
}

/**
 * Returns the path of the configured database file. Throws UsageError with `instead` for PostgreSQL: the command to run
 * for a URL without a password.
 */
export async function configuredFile(
  sources: SettingSources,
  instead: (url: string) => string
): Promise<string> {
  const { readSettings } = await import('../options.ts')
  const { hidePasswords, isInMemory, isPostgres, sqlitePath } = await import('../db/url.ts')
  const { database } = readSettings(sources).settings
  // The programs of PostgreSQL read the password from PGPASSWORD or ~/.pgpass.
  if (isPostgres(database))
    throw new UsageError(`this is for SQLite. For PostgreSQL, run: ${instead(hidePasswords(database) ?? '')}`)
  if (isInMemory(database))
    throw new StartError('PTS_BAD_OPTION', 'a database in memory has no file: set DATABASE_URL')
  return sqlitePath(database)
}

/** Quotes a word for a shell if necessary. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
