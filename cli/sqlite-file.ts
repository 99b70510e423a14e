import { StartError } from '../errors.ts'
import type { SettingSources } from '../options/sources.ts'
import { UsageError } from './terminal/command.ts'

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
