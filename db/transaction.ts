import { setTimeout } from 'node:timers/promises'
import { type IsolationLevel, sql } from 'kysely'
import { isConflict, isRefusedStatement } from './dialects/faults.ts'
import { markRepeatable } from './dialects/prepared.ts'
import type { Db, Transaction } from './schema.ts'

const maxAttempts = 10
/** Milliseconds. Pauses between attempts are random. Their maximum doubles from the first to the longest. */
const firstPause = 10
const longestPause = 250

/** Narrows the type. `db.isTransaction` does not, because Kysely declares it as a boolean. */
export const isTransaction = (db: Db): db is Transaction => db.isTransaction

type Job<T> = (transaction: Transaction) => Promise<T>

interface TransactOptions<T> {
  /**
   * `serializable` by default. A job that locks rows before it reads them may be `read committed`: it waits for others
   * instead of running again.
   */
  isolation?: IsolationLevel
  /** Whether a result undoes the changes of the job. The result is returned all the same. */
  rollBackIf?: (result: T) => boolean
  /** With 1, a conflict rejects: some jobs cannot run again. */
  attempts?: number
}

/**
 * Runs a job in a transaction. After a conflict the whole job runs again, so the job must have no side effects outside
 * the transaction. If `db` is a transaction, the job runs in it, and with `rollBackIf`, only the changes of the job are
 * undone.
 */
export async function transact<T>(
  db: Db,
  job: Job<T>,
  { rollBackIf, ...options }: TransactOptions<T> = {}
): Promise<T> {
  if (!rollBackIf) return isTransaction(db) ? job(db) : beginAndRetry(db, job, options)
  const run = async (transaction: Transaction) => {
    const result = await job(transaction)
    if (rollBackIf(result)) throw new RollBack('the job is rolled back', { cause: result })
    return result
  }
  try {
    return isTransaction(db) ? await inSavepoint(db, run) : await beginAndRetry(db, run, options)
  } catch (error) {
    if (error instanceof RollBack) return error.cause as T
    throw error
  }
}

/** Thrown to roll back the changes of a job. Its cause is the result of the job. */
class RollBack extends Error {}

async function beginAndRetry<T>(
  db: Db,
  job: Job<T>,
  { isolation = 'serializable', attempts = maxAttempts }: Omit<TransactOptions<T>, 'rollBackIf'>
): Promise<T> {
  const run: Job<T> = transaction => job(attempts > 1 ? markRepeatable(transaction) : transaction)
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().setIsolationLevel(isolation).execute(run)
    } catch (error) {
      const mayRunAgain = isConflict(error) || isRefusedStatement(error)
      if (attempt === attempts || !mayRunAgain) throw error
      // The pause is random, so that two conflicting transactions do not collide again.
      await setTimeout(Math.random() * Math.min(longestPause, firstPause * 2 ** (attempt - 1)))
    }
  }
}

async function inSavepoint<T>(transaction: Transaction, job: Job<T>): Promise<T> {
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
      throw error instanceof RollBack ? fault : error
    })
    throw error
  }
}

/** Runs a job that only reads, in a snapshot that begins with its first statement. */
export const transactReadOnly = <T>(db: Db, job: Job<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(job)
