import { setTimeout } from 'node:timers/promises'
import type { Migration } from 'kysely/migration'
import { StartError } from '../errors.ts'
import { engineOf } from './dialects/engine.ts'
import { isLockConflict } from './dialects/faults.ts'
import type { AnyDb } from './schema.ts'

const stepTable = 'product_migration_step'
/** Attempts to get the locks of a step, and milliseconds between them, in which others use the tables. */
const attempts = 60
const pause = 500

/**
 * Runs the steps that a store lacks, each in a transaction of its own, and returns their names. A step that does not get
 * its locks at once lets the others go on and tries again. Throws StartError if the store needs a newer program.
 */
export async function runSteps(
  db: AnyDb,
  schema: string | undefined,
  steps: Record<string, Migration>
): Promise<string[]> {
  const names = Object.keys(steps)
  const executed = await executedSteps(db, schema)
  await refuseNewer(db, names, executed)
  const missing = names.filter(name => !executed.includes(name))
  const ran: string[] = []
  for (const name of missing) if (await runStep(db, schema, name, steps[name] as Migration)) ran.push(name)
  return ran
}

/** Returns false if another process ran the step. */
async function runStep(
  db: AnyDb,
  schema: string | undefined,
  name: string,
  step: Migration
): Promise<boolean> {
  const run = async (transaction: AnyDb) => {
    await engineOf(db).lockMigrations(transaction)
    if ((await executedSteps(transaction, schema)).includes(name)) return false
    await engineOf(db).limitLockWait(transaction)
    await createStepTable(transaction)
    await step.up(transaction)
    await transaction.insertInto(stepTable).values({ name, time: new Date().toISOString() }).execute()
    return true
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run)
    } catch (error) {
      if (attempt === attempts || !isLockConflict(error)) throw error
      await setTimeout(pause)
    }
  }
}

const createStepTable = (db: AnyDb) =>
  db.schema
    .createTable(stepTable)
    .ifNotExists()
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('time', 'text', column => column.notNull())
    .execute()

/** The names of the steps that have run. */
export async function executedSteps(db: AnyDb, schema: string | undefined): Promise<string[]> {
  if (!(await hasTable(db, schema, stepTable))) return []
  const rows = await db.selectFrom(stepTable).select('name').execute()
  return rows.map(({ name }) => name)
}

/** Throws StartError if the store has steps that this program does not know and says that a program must know them. */
export async function refuseNewer(db: AnyDb, known: string[], executed: string[]): Promise<void> {
  const newer = executed.filter(name => !known.includes(name))
  if (newer.length === 0) return
  const { oldest_migration } = await db
    .selectFrom('product_store')
    .select('oldest_migration')
    .executeTakeFirstOrThrow()
  if (oldest_migration > (known.at(-1) as string)) throw newerStore(newer)
}

/** The error for a store with migrations that this program does not know. */
export const newerStore = (names: string[]): StartError =>
  new StartError(
    'PTS_BAD_DATABASE',
    `the database was created by a newer version of product-templates (migration ${names.join(', ')}): upgrade this installation`
  )

/** Whether a table exists in the schema. */
export async function hasTable(db: AnyDb, schema: string | undefined, name: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  return tables.some(table => table.name === name && table.schema === schema)
}
