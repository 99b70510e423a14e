import type Sqlite from 'better-sqlite3'

/** Returns the first error that SQLite finds in a whole file; undefined if there is none. */
export function findDamage(file: Sqlite.Database): string | undefined {
  const found = file.pragma('integrity_check(1)', { simple: true }) as string
  return found === 'ok' ? undefined : found
}
