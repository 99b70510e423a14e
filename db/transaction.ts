import { setTimeout } from 'node:timers/promises'
import { isRetryable } from './dialects/faults.ts'
import type { Db } from './schema.ts'

const attempts = 10
/** Milliseconds before the second attempt at most, and before a late one. */
const firstPause = 10
const longestPause = 250

/**
 * Runs a job in a transaction as if no other one ran meanwhile (serializable). Where another one got in
 * its way, the whole job runs again: it must do nothing that cannot be taken back or done twice.
 */
export async function transact<T>(db: Db, job: (transaction: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel('serializable').execute(job)
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      // Of two in each other's way one must come later.
      await setTimeout(Math.random() * Math.min(longestPause, firstPause * 2 ** attempt))
    }
  }
}
