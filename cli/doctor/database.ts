import { sql } from 'kysely'
import { engineOf } from '../../db/dialects/engine.ts'
import { findMissingMigrations } from '../../db/migrate.ts'
import type { Db } from '../../db/schema.ts'
import { type Check, type Finding, findingsOf } from './finding.ts'

const database = findingsOf('database')
const migrations = findingsOf('migrations')

/** Whether the database takes writes. A SQLite file is a matter of the disk. */
export const checkDatabase: Check = async db =>
  engineOf(db).name === 'postgres' ? checkPostgres(db) : checkSqlite(db)

async function checkSqlite(db: Db): Promise<Finding[]> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  return [database.ok(`SQLite ${rows[0]?.version}`)]
}

async function checkPostgres(db: Db): Promise<Finding[]> {
  const { rows } = await sql<{ version: string; standby: boolean; locked: string }>`
    select current_setting('server_version') as version, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only') as locked`.execute(db)
  const { version = '', standby = false, locked = 'off' } = rows[0] ?? {}
  if (standby)
    return [database.problem('the server is a standby and takes no writes', 'connect to the primary')]
  if (locked === 'on')
    return [database.problem('transactions are read-only', 'reset default_transaction_read_only')]
  return [database.ok(`PostgreSQL ${version}`)]
}

/** Whether the database has the tables of this program. */
export const checkMigrations: Check = async db => {
  const { executed, missing } = await findMissingMigrations(db)
  if (missing.length === 0) return [migrations.ok(`all ${executed}`)]
  return [migrations.problem(`missing: ${missing.join(', ')}`, 'product-templates migrate')]
}
