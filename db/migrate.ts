import { type Migration, Migrator } from 'kysely/migration'
import { StartError } from '../errors.ts'
import { engineOf } from './dialects/engine.ts'
import * as initial from './migrations/0001-initial.ts'
import * as tokenLifecycle from './migrations/0002-token-lifecycle.ts'
import * as attempts from './migrations/0003-attempts.ts'
import * as userEpoch from './migrations/0004-user-epoch.ts'
import * as reading from './migrations/0005-reading.ts'
import * as derivedIndex from './migrations/0006-derived-index.ts'
import type { AnyDb } from './schema.ts'
import { prepareIndex } from './templates/index/prepare.ts'

const migrationTableName = 'product_migration'
const migrationLockTableName = 'product_migration_lock'

/** All migrations, oldest first. Each name must sort after those before it. */
export const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-token-lifecycle': tokenLifecycle,
  '0003-attempts': attempts,
  '0004-user-epoch': userEpoch,
  '0005-reading': reading,
  '0006-derived-index': derivedIndex
}

/**
 * Migrates the database to the latest version in one transaction and returns the names of the migrations that ran.
 * Empties an index of another version, which must then be rebuilt. If several processes start at once, one migrates and
 * the others wait. Throws StartError and changes nothing if the database was created by a newer version.
 */
export async function migrate(db: AnyDb): Promise<string[]> {
  const names = await migrateTables(db)
  await prepareIndex(db)
  return names
}

async function migrateTables(db: AnyDb): Promise<string[]> {
  const engine = engineOf(db)
  await engine.checkTypes(db)
  const schema = await engine.schema(db)
  const executed = await executedMigrations(db, schema)
  refuseNewer(executed)
  if (executed.length === Object.keys(migrations).length) return []
  // Without transactional DDL, as in Kysely's own SQLite dialect, the Migrator uses its own lock.
  if (!db.getExecutor().adapter.supportsTransactionalDdl) return runMigrations(db, schema)
  return db.transaction().execute(async transaction => {
    await engine.lockMigrations(transaction)
    return runMigrations(transaction, schema)
  })
}

async function runMigrations(db: AnyDb, schema: string | undefined): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName,
    migrationLockTableName,
    ...(schema !== undefined && { migrationTableSchema: schema })
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}

function refuseNewer(executed: string[]): void {
  const newer = executed.filter(name => !Object.hasOwn(migrations, name))
  if (newer.length === 0) return
  const names = newer.join(', ')
  throw new StartError(
    'PTS_BAD_DATABASE',
    `the database was created by a newer version of product-templates (migration ${names}): upgrade this installation`
  )
}

async function executedMigrations(db: AnyDb, schema: string | undefined): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(table => table.name === migrationTableName && table.schema === schema)) return []
  const rows = await db.selectFrom(migrationTableName).select('name').execute()
  return rows.map(({ name }) => name)
}
