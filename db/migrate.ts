import { type Migration, Migrator } from 'kysely/migration'
import { engineOf } from './dialects/engine.ts'
import { executedSteps, hasTable, newerStore, refuseNewer, runSteps } from './migration-steps.ts'
import * as initial from './migrations/0001-initial.ts'
import * as tokenLifecycle from './migrations/0002-token-lifecycle.ts'
import * as attempts from './migrations/0003-attempts.ts'
import * as userEpoch from './migrations/0004-user-epoch.ts'
import * as reading from './migrations/0005-reading.ts'
import * as derivedIndex from './migrations/0006-derived-index.ts'
import * as revisions from './migrations/0007-revisions.ts'
import * as idempotency from './migrations/0008-idempotency.ts'
import * as versions from './migrations/0009-versions.ts'
import * as previousSecret from './migrations/0010-previous-secret.ts'
import * as authorization from './migrations/0011-authorization.ts'
import * as inserts from './migrations/0012-inserts.ts'
import * as tokenOrigin from './migrations/0013-token-origin.ts'
import type { AnyDb } from './schema.ts'
import { prepareIndex } from './templates/index/state.ts'

const migrationTableName = 'product_migration'
const migrationLockTableName = 'product_migration_lock'

/** The migrations that run together in one transaction. An older program does not start on a newer store. */
const first: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-token-lifecycle': tokenLifecycle,
  '0003-attempts': attempts,
  '0004-user-epoch': userEpoch,
  '0005-reading': reading,
  '0006-derived-index': derivedIndex
}

/** The later ones, each in a short transaction of its own. Older programs may work on the store meanwhile and afterwards. */
const steps: Record<string, Migration> = {
  '0007-revisions': revisions,
  '0008-idempotency': idempotency,
  '0009-versions': versions,
  '0010-previous-secret': previousSecret,
  '0011-authorization': authorization,
  '0012-inserts': inserts,
  '0013-token-origin': tokenOrigin
}

/** All migrations, oldest first. Each name must sort after those before it. */
export const migrations: Record<string, Migration> = { ...first, ...steps }

/**
 * Migrates the database to the latest version and returns the names of the migrations that ran. Empties an index of
 * another version, which must then be rebuilt. If several processes start at once, one migrates and the others wait.
 * Throws StartError and changes nothing if the database was created by a newer version that this one cannot work with.
 */
export async function migrate(db: AnyDb): Promise<string[]> {
  const engine = engineOf(db)
  await engine.checkTypes(db)
  const schema = await engine.schema(db)
  const names = [...(await migrateTables(db, schema)), ...(await runSteps(db, schema, steps))]
  await prepareIndex(db)
  return names
}

/**
 * Returns the number of migrations that have run and the names of those that have not. Throws StartError if the database
 * was created by a newer version that this one cannot work with. Changes nothing.
 */
export async function findMissingMigrations(db: AnyDb): Promise<{ executed: number; missing: string[] }> {
  const schema = await engineOf(db).schema(db)
  const executed = await knownMigrations(db, schema)
  const later = await executedSteps(db, schema)
  await refuseNewer(db, Object.keys(steps), later)
  const all = [...executed, ...later]
  return { executed: all.length, missing: Object.keys(migrations).filter(name => !all.includes(name)) }
}

async function migrateTables(db: AnyDb, schema: string | undefined): Promise<string[]> {
  const executed = await knownMigrations(db, schema)
  if (executed.length === Object.keys(first).length) return []
  // Without transactional DDL, as in Kysely's own SQLite dialect, the Migrator uses its own lock.
  if (!db.getExecutor().adapter.supportsTransactionalDdl) return runMigrations(db, schema)
  return db.transaction().execute(async transaction => {
    await engineOf(db).lockMigrations(transaction)
    return runMigrations(transaction, schema)
  })
}

async function runMigrations(db: AnyDb, schema: string | undefined): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => first },
    migrationTableName,
    migrationLockTableName,
    ...(schema !== undefined && { migrationTableSchema: schema })
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) throw error
  return results.map(({ migrationName }) => migrationName)
}

/** The first migrations that have run. Throws StartError if there are unknown ones. */
async function knownMigrations(db: AnyDb, schema: string | undefined): Promise<string[]> {
  if (!(await hasTable(db, schema, migrationTableName))) return []
  const rows = await db.selectFrom(migrationTableName).select('name').execute()
  const names = rows.map(({ name }) => name)
  const newer = names.filter(name => !Object.hasOwn(first, name))
  if (newer.length > 0) throw newerStore(newer)
  return names
}
