import Sqlite from 'better-sqlite3'
import { Kysely, type KyselyConfig } from 'kysely'
import type { Test } from 'tap'
import { openPostgres } from '../../../db/dialects/postgres/open.ts'
import { SqliteDialect } from '../../../db/dialects/sqlite/dialect.ts'
import type { Database } from '../../../db/schema.ts'
import { postgresDefaults } from '../../../db/url.ts'
import { engine, migratedUrl } from './database.ts'

/**
 * Opens a migrated database as a host does that has a Kysely instance of its own. The service has no worker threads on
 * it, so a plugin or a log hears all statements.
 */
export async function hostDatabase(
  t: Test,
  config: Omit<KyselyConfig, 'dialect'> = {}
): Promise<{ db: Kysely<Database>; url: string }> {
  const url = await migratedUrl(t)
  const dialect =
    engine === 'sqlite'
      ? new SqliteDialect(new Sqlite(url.slice('sqlite:'.length)))
      : await openPostgres(url, { ...postgresDefaults, databasePoolSize: 2 })
  const db = new Kysely<Database>({ ...config, dialect })
  t.teardown(() => db.destroy())
  return { db, url }
}
