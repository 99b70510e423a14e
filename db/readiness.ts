import { engineOf } from './dialects/engine.ts'
import { nameFault } from './dialects/faults.ts'
import { listExecuted, type Migrations } from './migrate.ts'
import type { Db } from './schema.ts'
import { replicaOf } from './templates/snapshot.ts'
import { describeIndex } from './templates/template-index/state.ts'

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

/** Checks whether a store responds, has these migrations, accepts writes and has a complete index. Never rejects. */
export async function checkStore(db: Db, migrations: Migrations): Promise<StoreReport> {
  const replica = replicaOf(db)
  const checks: StoreChecks = { ...unknown, ...(replica && { replica: replica.state }) }
  let running: keyof StoreChecks = 'database'
  try {
    // Migrations are missing after an older backup was restored under a running service. A newer store is not a fault.
    const executed = await listExecuted(db)
    const missing = Object.keys(migrations).filter(name => !executed.includes(name))
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
