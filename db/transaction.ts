import { setTimeout } from 'node:timers/promises'
import { isRetryable } from './dialects/faults.ts'
import type { Db } from './schema.ts'

const attempts = 10
/** Maximum milliseconds before the second attempt, and before any attempt. */
const firstPause = 10
const longestPause = 250

/**
 * Runs a job in a serializable transaction. After a conflict the whole job runs again, so it must have no side effects
 * outside the transaction.
 */
export async function transact<T>(db: Db, job: (transaction: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(job)
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      // A random pause, so that two conflicting transactions do not collide again.
      await setTimeout(Math.random() * Math.min(longestPause, firstPause * 2 ** attempt))
    }
  }
}
