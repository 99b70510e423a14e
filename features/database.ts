/** The database with the tables of all features. */
import { openMigrated } from '../db/connect.ts'
import type { DatabaseOptions } from '../db/dialects/interface.ts'
import type { Migrations } from '../db/migrate.ts'
import * as core from '../db/migrations/index.ts'
import type { Db } from '../db/schema.ts'
import { join } from '../runtime/join.ts'
import { features } from './load.ts'

/** All migrations: those of the core, and then those of the features, which have a slash. */
export const migrations: Migrations = { ...core, ...listFeatureMigrations() }

function listFeatureMigrations(): Migrations {
  const entries = Object.entries(join('migrations', ...features.map(({ migrations }) => migrations)))
  return Object.fromEntries(entries.map(([name, load]) => [name, { up: async db => (await load()).up(db) }]))
}

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the latest version. The caller closes it with
 * `db.destroy()`. Throws StartError if the database cannot be used.
 */
export const openDatabase = (url: string, options: DatabaseOptions = {}): Promise<Db> =>
  openMigrated(url, migrations, options)
