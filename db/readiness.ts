import { sql } from 'kysely'
import { engineOf } from './dialects/engine.ts'
import { nameFault } from './dialects/faults.ts'
import { migrations } from './migrate.ts'
import { replicaOf } from './replica.ts'
import type { Db } from './schema.ts'
import { describeIndex } from './templates/index/state.ts'

const unknown = { database: 'unknown', writable: 'unknown', migrations: 'unknown', index: 'unknown' }

/**
 * What was found of the store: `ok`, or what is wrong in a few words. `unknown` if that cannot be found out. A replica, if
 * there is one, is `degraded` if it has been behind or failing for a while.
 */
type StoreChecks = typeof unknown & { replica?: string }

/** Why a check failed, for the log. */
export interface StoreReport {
  checks: StoreChecks
  error?: unknown
}

/** Lists those that are missing, such as after an older backup was restored under a running service. */
async function listMissingMigrations(db: Db): Promise<string[]> {
  // One statement, because probes are frequent. A newer store is no fault here.
  const { rows } = await sql<{ name: string }>`select name from product_migration
    union all select name from product_migration_step`.execute(db)
  const executed = rows.map(({ name }) => name)
  return Object.keys(migrations).filter(name => !executed.includes(name))
}

/** Checks a store: that it responds, has all migrations and takes writes, and whether its index is complete. Never rejects. */
export async function checkStore(db: Db): Promise<StoreReport> {
  const replica = replicaOf(db)
  const checks: StoreChecks = { ...unknown, ...(replica && { replica: replica.state }) }
  let running: keyof StoreChecks = 'database'
  try {
    const missing = await listMissingMigrations(db)
    checks.migrations = missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}`
    // An older store may have no state of an index.
    if (missing.length === 0) checks.index = await describeIndex(db)
    checks.database = 'ok'
    running = 'writable'
    await engineOf(db).checkWritable(db)
    checks.writable = 'ok'
    return { checks }
  } catch (error) {
    checks[running] = nameFault(error)
    return { checks, error }
  }
}
