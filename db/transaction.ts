import { setTimeout } from 'node:timers/promises'
import { type IsolationLevel, sql } from 'kysely'
import { isRetryable } from './dialects/faults.ts'
import { allowPreparing } from './dialects/prepared.ts'
import type { Db, Transaction } from './schema.ts'

const maxAttempts = 10
/** Milliseconds. Pauses between attempts are random. Their maximum doubles from the first to the longest. */
const firstPause = 10
const longestPause = 250

/** Narrows the type. `db.isTransaction` does not, because Kysely declares it as a boolean. */
export const isTransaction = (db: Db): db is Transaction => db.isTransaction

/**
 * Runs a job in a transaction, a serializable one by default. After a conflict the whole job runs again, so the job
 * must have no side effects outside the transaction. With one attempt, a conflict rejects instead. A job that locks
 * rows before it reads them may be `read committed`: it waits for others instead of running again. If `db` is a
 * transaction, the job runs in it.
 */
export async function transact<T>(
  db: Db,
  job: (transaction: Transaction) => Promise<T>,
  isolation: IsolationLevel = 'serializable',
  attempts = maxAttempts
): Promise<T> {
  if (isTransaction(db)) return job(db)
  const run = (transaction: Transaction) => job(attempts > 1 ? allowPreparing(transaction) : transaction)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(run)
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      // The pause is random, so that two conflicting transactions do not collide again.
      await setTimeout(Math.random() * Math.min(longestPause, firstPause * 2 ** attempt))
    }
  }
}

/** Runs a job that only reads, in a snapshot that begins with its first statement. */
export const readInSnapshot = <T>(db: Db, job: (snapshot: Transaction) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(job)

/** Thrown to roll back the changes of a job. Its cause is the result of the job. */
class Undone extends Error {}

/**
 * Runs a job in a `read committed` transaction, and returns its result. Undoes its changes if it rejects or if
 * `isUndone` returns true for its result. If `db` is a transaction, the job runs in it, and only the changes of the job
 * are undone. With `retries: false`, a conflict rejects: some jobs cannot run again.
 */
export async function transactOrUndo<T>(
  db: Db,
  job: (transaction: Transaction) => Promise<T>,
  isUndone: (result: T) => boolean,
  { retries = true } = {}
): Promise<T> {
  const run = async (transaction: Transaction) => {
    const result = await job(transaction)
    if (isUndone(result)) throw new Undone('the changes are undone', { cause: result })
    return result
  }
  try {
    if (isTransaction(db)) return await inSavepoint(db, run)
    return await transact(db, run, 'read committed', retries ? maxAttempts : 1)
  } catch (error) {
    if (error instanceof Undone) return error.cause as T
    throw error
  }
}

async function inSavepoint<T>(
  transaction: Transaction,
  job: (transaction: Transaction) => Promise<T>
): Promise<T> {
  await sql`savepoint product_templates`.execute(transaction)
  try {
    const result = await job(transaction)
    await sql`release savepoint product_templates`.execute(transaction)
    return result
  } catch (error) {
    const undo = async () => {
      await sql`rollback to savepoint product_templates`.execute(transaction)
      await sql`release savepoint product_templates`.execute(transaction)
    }
    // After some errors, such as a full disk, the whole transaction is rolled back already.
    await undo().catch(fault => {
      throw error instanceof Undone ? fault : error
    })
    throw error
  }
}
