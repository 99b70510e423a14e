import { hidePasswords, isInMemory, isPostgres, sqlitePath } from '../../db/url.ts'
import { readSettings } from '../../options/index.ts'
import type { SettingSources } from '../../options/sources.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { UsageError } from '../../terminal/command.ts'

/**
 * Returns the path of the configured database file. For PostgreSQL, throws a UsageError with the command to run
 * instead, which `instead` makes from a URL without a password.
 */
export function requireDatabaseFile(sources: SettingSources, instead: (url: string) => string): string {
  const { database } = readSettings(sources).settings
  // The programs of PostgreSQL read the password from PGPASSWORD or ~/.pgpass.
  if (isPostgres(database))
    throw new UsageError(
      `this command is for SQLite. For PostgreSQL, run: ${instead(hidePasswords(database) ?? '')}`
    )
  if (isInMemory(database))
    throw new StartError('PTS_BAD_OPTION', 'a database in memory has no file: set DATABASE_URL')
  return sqlitePath(database)
}
