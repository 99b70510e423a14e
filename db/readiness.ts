import { sql } from 'kysely'
import { engineOf } from './dialects/engine.ts'
import { nameFault } from './dialects/faults.ts'
import { migrations } from './migrate.ts'
import type { Db } from './schema.ts'
import { describeIndex } from './templates/index/state.ts'
import { replicaOf } from './templates/snapshot.ts'

const unknown = { database: 'unknown', writable: 'unknown', migrations: 'unknown', index: 'unknown' }

/**
 * The result of each check: `ok`, the fault in a few words, or `unknown` if the check could not run. A replica is
 * `degraded` if it has been behind or has failed for a while.
 */
type StoreChecks = typeof unknown & { replica?: string }

export interface StoreReport {
  checks: StoreChecks
  /** Why a check failed, for the log. */
  error?: unknown
}

/** Lists missing migrations. Some are missing after an older backup was restored under a running service. */
async function listMissingMigrations(db: Db): Promise<string[]> {
  // One statement, because probes are frequent. A newer store is not a fault.
  const { rows } = await sql<{ name: string }>`select name from product_migration`.execute(db)
  const executed = rows.map(({ name }) => name)
  return Object.keys(migrations).filter(name => !executed.includes(name))
}

/** Checks whether a store responds, has all migrations, accepts writes and has a complete index. Never rejects. */
export async function checkStore(db: Db): Promise<StoreReport> {
  const replica = replicaOf(db)
  const checks: StoreChecks = { ...unknown, ...(replica && { replica: replica.state }) }
  let running: keyof StoreChecks = 'database'
  try {
    const missing = await listMissingMigrations(db)
    checks.migrations = missing.length === 0 ? 'ok' : `missing ${missing.join(', ')}`
    // A missing migration may change the state of the index.
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
