import type { Migration } from 'kysely/migration'
import { StartError } from '../runtime/host-errors.ts'
import { engineOf } from './dialects/engine.ts'
import type { AnyDb } from './schema.ts'
import { prepareIndex } from './templates/template-index/state.ts'

/** Migrations by their names, oldest first. Those of features have a slash in their names. */
export type Migrations = Record<string, Migration>

/** The table lists the migrations that have run, with the time of each. */
const table = 'product_migration'

/**
 * Migrates the database to the latest version and returns the names of the migrations that ran. If the index of
 * templates has another version, it is emptied and must be rebuilt. If several processes start at once, one migrates
 * and the others wait. Throws StartError and changes nothing if a newer program created the database and this one
 * cannot use it.
 */
export async function migrate(db: AnyDb, migrations: Migrations): Promise<string[]> {
  await engineOf(db).checkTypes(db)
  const { missing } = await findMissingMigrations(db, migrations)
  const ran: string[] = []
  for (const name of missing) if (await runMigration(db, name, migrations[name])) ran.push(name)
  await prepareIndex(db)
  return ran
}

/**
 * Returns the number of migrations that have run and the names of those that have not. Throws StartError if a newer
 * program created the database and this one cannot use it. Changes nothing.
 */
export async function findMissingMigrations(
  db: AnyDb,
  migrations: Migrations
): Promise<{ executed: number; missing: string[] }> {
  const executed = await listExecuted(db)
  const newer = executed.filter(name => !Object.hasOwn(migrations, name))
  if (newer.length > 0 && (await needsNewer(db, migrations)))
    throw new StartError(
      'PTS_BAD_DATABASE',
      `the database was created by a newer version of product-templates (migration ${newer.join(', ')}): upgrade this installation`
    )
  return {
    executed: executed.length,
    missing: Object.keys(migrations).filter(name => !executed.includes(name))
  }
}

/** Whether the store requires a migration that is not one of these. */
async function needsNewer(db: AnyDb, migrations: Migrations): Promise<boolean> {
  const store = await db.selectFrom('product_store').select('oldest_migration').executeTakeFirstOrThrow()
  const own = Object.keys(migrations).filter(name => !name.includes('/'))
  return store.oldest_migration > (own.at(-1) as string)
}

/** Runs a migration in a transaction of its own. Returns false if another process has run it meanwhile. */
const runMigration = (db: AnyDb, name: string, migration: Migration | undefined): Promise<boolean> =>
  db.transaction().execute(async transaction => {
    await engineOf(db).lock(transaction, 'migrations')
    if ((await listExecuted(transaction)).includes(name)) return false
    await transaction.schema
      .createTable(table)
      .ifNotExists()
      .addColumn('name', 'text', column => column.primaryKey())
      .addColumn('time', 'text', column => column.notNull())
      .execute()
    await migration?.up(transaction)
    await transaction.insertInto(table).values({ name, time: new Date().toISOString() }).execute()
    return true
  })

/** Lists the names of the migrations that have run. */
export async function listExecuted(db: AnyDb): Promise<string[]> {
  const tables = await engineOf(db).syntax.findTable(table).execute(db)
  if (tables.rows.length === 0) return []
  const rows = await db.selectFrom(table).select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
