import { setTimeout } from 'node:timers/promises'
import type { Migration } from 'kysely/migration'
import { StartError } from '../host-errors.ts'
import { engineOf } from './dialects/engine.ts'
import { isLockConflict } from './dialects/faults.ts'
import * as modules from './migrations/index.ts'
import type { AnyDb, AnyTransaction } from './schema.ts'
import { prepareIndex } from './templates/index/state.ts'

/** All migrations by name, oldest first. */
export const migrations: Record<string, Migration> = { ...modules }

/** A table that lists the migrations that have run. */
interface MigrationTable {
  table: string
  /** The column with the time of each migration. */
  time: string
}

/** Lists the first six migrations. They run together in one transaction. */
const first: MigrationTable = { table: 'product_migration', time: 'timestamp' }

/** Lists the later ones. Each runs in a short transaction of its own, and older programs keep working on the store. */
const steps: MigrationTable = { table: 'product_migration_step', time: 'time' }
const firstStep = '0007-revisions'

/** Attempts to lock the tables of a migration. */
const maxAttempts = 60
/** Milliseconds between two attempts, in which other transactions use the tables. */
const attemptInterval = 500

/**
 * Migrates the database to the latest version and returns the names of the migrations that ran. If the index of templates
 * has another version, it is emptied and must be rebuilt. If several processes start at once, one migrates and the others
 * wait. Throws StartError and changes nothing if a newer program created the database and this one cannot use it.
 */
export async function migrate(db: AnyDb): Promise<string[]> {
  await engineOf(db).checkTypes(db)
  const { missing } = await findMissingMigrations(db)
  const together = missing.filter(name => name < firstStep)
  const ran = together.length > 0 ? await runTogether(db, first, together) : []
  for (const name of missing.slice(together.length)) ran.push(...(await runTogether(db, steps, [name])))
  await prepareIndex(db)
  return ran
}

/**
 * Returns the number of migrations that have run and the names of those that have not. Throws StartError if a newer
 * program created the database and this one cannot use it. Changes nothing.
 */
export async function findMissingMigrations(db: AnyDb): Promise<{ executed: number; missing: string[] }> {
  const together = await listExecuted(db, first.table)
  const executed = [...together, ...(await listExecuted(db, steps.table))]
  const newer = executed.filter(name => !Object.hasOwn(migrations, name))
  if (newer.length > 0 && (together.includes(newer[0] as string) || (await needsNewer(db))))
    throw new StartError(
      'PTS_BAD_DATABASE',
      `the database was created by a newer version of product-templates (migration ${newer.join(', ')}): upgrade this installation`
    )
  return {
    executed: executed.length,
    missing: Object.keys(migrations).filter(name => !executed.includes(name))
  }
}

/** Whether the store requires a migration that this program does not know. */
async function needsNewer(db: AnyDb): Promise<boolean> {
  const store = await db.selectFrom('product_store').select('oldest_migration').executeTakeFirstOrThrow()
  return store.oldest_migration > (Object.keys(migrations).at(-1) as string)
}

/**
 * Runs migrations in one transaction. Returns the names of those that no other process ran meanwhile. If a table is locked,
 * the transaction ends, so that others can continue, and starts again later.
 */
async function runTogether(db: AnyDb, { table, time }: MigrationTable, names: string[]): Promise<string[]> {
  const run = async (transaction: AnyTransaction) => {
    await engineOf(db).lock(transaction, 'migrations')
    const executed = await listExecuted(transaction, table)
    const missing = names.filter(name => !executed.includes(name))
    await engineOf(db).limitLockWait(transaction)
    await createTable(transaction, table, time)
    for (const name of missing) {
      await migrations[name]?.up(transaction)
      await transaction
        .insertInto(table)
        .values({ name, [time]: new Date().toISOString() })
        .execute()
    }
    return missing
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run)
    } catch (error) {
      if (attempt === maxAttempts || !isLockConflict(error)) throw error
      await setTimeout(attemptInterval)
    }
  }
}

const createTable = (db: AnyDb, table: string, time: string) =>
  db.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn(time, 'text', column => column.notNull())
    .execute()

/** Lists the names of the migrations that have run. */
async function listExecuted(db: AnyDb, table: string): Promise<string[]> {
  const found = await engineOf(db).syntax.findTable(table).execute(db)
  if (found.rows.length === 0) return []
  const rows = await db.selectFrom(table).select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
