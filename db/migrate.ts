import { setTimeout } from 'node:timers/promises'
import type { Migration } from 'kysely/migration'
import { StartError } from '../errors.ts'
import { engineOf } from './dialects/engine.ts'
import { isLockConflict } from './dialects/faults.ts'
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
import * as ids from './migrations/0014-ids.ts'
import * as versionCounters from './migrations/0015-version-counters.ts'
import * as media from './migrations/0016-media.ts'
import * as people from './migrations/0017-people.ts'
import * as rules from './migrations/0018-rules.ts'
import * as audit from './migrations/0019-audit.ts'
import * as passkeys from './migrations/0020-passkeys.ts'
import * as webhooks from './migrations/0021-webhooks.ts'
import * as resources from './migrations/0022-resources.ts'
import * as earlierRevisions from './migrations/0023-earlier-revisions.ts'
import type { AnyDb } from './schema.ts'
import { prepareIndex } from './templates/index/state.ts'

/** Migrations, oldest first, and the table with the names and times of those that have run. */
interface Migrations {
  table: string
  time: string
  all: Record<string, Migration>
}

/** The migrations that run together in one transaction. An older program does not start on a newer store. */
const first: Migrations = {
  table: 'product_migration',
  time: 'timestamp',
  all: {
    '0001-initial': initial,
    '0002-token-lifecycle': tokenLifecycle,
    '0003-attempts': attempts,
    '0004-user-epoch': userEpoch,
    '0005-reading': reading,
    '0006-derived-index': derivedIndex
  }
}

/** The later ones, each in a short transaction of its own. Older programs may work on the store meanwhile and afterwards. */
const steps: Migrations = {
  table: 'product_migration_step',
  time: 'time',
  all: {
    '0007-revisions': revisions,
    '0008-idempotency': idempotency,
    '0009-versions': versions,
    '0010-previous-secret': previousSecret,
    '0011-authorization': authorization,
    '0012-inserts': inserts,
    '0013-token-origin': tokenOrigin,
    '0014-ids': ids,
    '0015-version-counters': versionCounters,
    '0016-media': media,
    '0017-people': people,
    '0018-rules': rules,
    '0019-audit': audit,
    '0020-passkeys': passkeys,
    '0021-webhooks': webhooks,
    '0022-resources': resources,
    '0023-earlier-revisions': earlierRevisions
  }
}

/** All migrations, oldest first. Each name must sort after those before it. */
export const migrations: Record<string, Migration> = { ...first.all, ...steps.all }

/** Attempts to get the locks of a migration, and milliseconds between them, in which others use the tables. */
const maxAttempts = 60
const pause = 500

/**
 * Migrates the database to the latest version and returns the names of the migrations that ran. Empties an index of
 * another version, which must then be rebuilt. If several processes start at once, one migrates and the others wait.
 * Throws StartError and changes nothing if the database was created by a newer version that this one cannot work with.
 */
export async function migrate(db: AnyDb): Promise<string[]> {
  await engineOf(db).checkTypes(db)
  const { missing } = await findMissingMigrations(db)
  const together = missing.filter(name => Object.hasOwn(first.all, name))
  const ran = together.length > 0 ? await runTogether(db, first, together) : []
  for (const name of missing.slice(together.length)) ran.push(...(await runTogether(db, steps, [name])))
  await prepareIndex(db)
  return ran
}

/**
 * Returns the number of migrations that have run and the names of those that have not. Throws StartError if the database
 * was created by a newer version that this one cannot work with. Changes nothing.
 */
export async function findMissingMigrations(db: AnyDb): Promise<{ executed: number; missing: string[] }> {
  const together = await listExecuted(db, first)
  const executed = [...together, ...(await listExecuted(db, steps))]
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

/** Whether a store with steps that this program does not know says that a program must know them. */
async function needsNewer(db: AnyDb): Promise<boolean> {
  const store = await db.selectFrom('product_store').select('oldest_migration').executeTakeFirstOrThrow()
  return store.oldest_migration > (Object.keys(migrations).at(-1) as string)
}

/**
 * Runs some migrations in one transaction and returns the names of those that no other process ran meanwhile. If it does
 * not get its locks at once, it lets the others go on and tries again.
 */
async function runTogether(db: AnyDb, given: Migrations, names: string[]): Promise<string[]> {
  const run = async (transaction: AnyDb) => {
    await engineOf(db).lock(transaction, 'migrations')
    const executed = await listExecuted(transaction, given)
    const missing = names.filter(name => !executed.includes(name))
    await engineOf(db).limitLockWait(transaction)
    await createTable(transaction, given)
    for (const name of missing) {
      await given.all[name]?.up(transaction)
      await transaction
        .insertInto(given.table)
        .values({ name, [given.time]: new Date().toISOString() })
        .execute()
    }
    return missing
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(run)
    } catch (error) {
      if (attempt === maxAttempts || !isLockConflict(error)) throw error
      await setTimeout(pause)
    }
  }
}

const createTable = (db: AnyDb, { table, time }: Migrations) =>
  db.schema
    .createTable(table)
    .ifNotExists()
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn(time, 'text', column => column.notNull())
    .execute()

/** The names of the migrations that have run. */
async function listExecuted(db: AnyDb, { table }: Migrations): Promise<string[]> {
  const found = await engineOf(db).syntax.findTable(table).execute(db)
  if (found.rows.length === 0) return []
  const rows = await db.selectFrom(table).select('name').orderBy('name').execute()
  return rows.map(({ name }) => name)
}
