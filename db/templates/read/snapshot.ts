/** Snapshots of the templates, and what is read in one by a plan. */
import { engineOf, operationDb } from '../../dialects/engine.ts'
import { IndexNotReady, isUnavailable } from '../../dialects/faults.ts'
import type { Db, Transaction } from '../../schema.ts'
import { beginSnapshot, type Replica, replicaOf, type Snapshot } from '../../snapshot.ts'
import type { TemplateFilter } from '../filter/filter.ts'
import { type Plan, planFilter } from '../filter/plan.ts'
import { ensureIndexed, isReadable, readIndexState } from '../index/state.ts'
import { isLongStatement, type Meter, NeedsThread } from '../meter.ts'

/** What templates are listed, counted and grouped in, so that everything is of one moment. */
export interface TemplateSnapshot extends Snapshot {
  /** The replica that it reads from; undefined if it reads from the database itself. */
  replica: Replica | undefined
  /** Whether its statements block the event loop. */
  blocksLoop: boolean
}

interface SnapshotOptions {
  /** Whether a complete index is needed: pending templates are then indexed first, which writes. */
  needsIndex: boolean
  /** `Version.templates`, which a replica must have; without it, none is used. */
  version?: string | undefined
  signal?: AbortSignal
  /** Whether its statements run on a thread if they would block the event loop. */
  isLong?: boolean | undefined
}

/** Attempts to begin a snapshot without unindexed templates, which other programs write with plain SQL. */
const maxTries = 10

/**
 * Opens a snapshot, on the replica if it has the version. If the index is needed and other programs have written templates
 * with plain SQL, indexes these first. Rejects with IndexNotReady if the index is not complete. The caller ends it.
 */
export async function openSnapshot(db: Db, options: SnapshotOptions): Promise<TemplateSnapshot> {
  const { version, signal, isLong, needsIndex } = options
  const replica = version === undefined || db.isTransaction ? undefined : replicaOf(db)
  const replicated = await replica?.begin(version as string, signal)
  if (replicated) {
    const isReady =
      !needsIndex ||
      (await isIndexed(replicated).catch(error => {
        if (!replica?.noteFailure(error)) throw error
      }))
    if (isReady) return { ...replicated, replica, blocksLoop: false }
    await replicated.end()
  }
  let cause: unknown
  for (let tries = 0; tries < maxTries; tries++) {
    const snapshot = await beginSnapshot(operationDb(db, { signal, isLong }))
    if (!needsIndex || (await isIndexed(snapshot))) {
      const blocksLoop = !isLong && engineOf(db).blocksLoop(db)
      return { ...snapshot, replica: undefined, blocksLoop }
    }
    await snapshot.end()
    if (db.isTransaction || cause)
      throw new IndexNotReady('the index of templates is not complete', { cause })
    // Another process may have indexed them meanwhile, so the next snapshot decides.
    cause = await ensureIndexed(db, signal).catch(error => {
      if (isUnavailable(error)) return error
      throw error
    })
  }
  throw new IndexNotReady('templates are written with plain SQL all the time')
}

/** What to read outside an operation of GraphQL, which reads several filters in one snapshot. */
interface PlannedRead extends SnapshotOptions {
  filter: TemplateFilter
  meter: Meter
  /** Whether the job may run again. A job that has effects outside the snapshot must not. */
  retries?: boolean
}

/**
 * Plans a filter, and runs a job that reads by the plan in a snapshot, with a meter. The job runs once more on a thread if a
 * statement would block the event loop, and on the database itself if the replica fails.
 */
export async function readByPlan<T>(
  db: Db,
  planned: PlannedRead,
  job: (snapshot: Transaction, plan: Plan, meter: Meter) => Promise<T>
): Promise<T> {
  const { filter, meter, retries = true, ...options } = planned
  const snapshot = await openSnapshot(db, options)
  const guarded: Meter = {
    spend: cost => meter.spend(cost),
    turn: () => meter.turn(),
    allowStatement(cost) {
      if (retries && snapshot.blocksLoop && isLongStatement(cost)) throw new NeedsThread()
    }
  }
  let again: Partial<PlannedRead>
  try {
    return await job(snapshot.db, await planFilter(snapshot.db, filter), guarded)
  } catch (error) {
    if (error instanceof NeedsThread) again = { isLong: true }
    else if (snapshot.replica?.noteFailure(error) && retries) again = { version: undefined }
    else throw error
  } finally {
    await snapshot.end()
  }
  return readByPlan(db, { ...planned, ...again }, job)
}

/** Ends the snapshot if the state of its index cannot be read. */
async function isIndexed(snapshot: Snapshot): Promise<boolean> {
  try {
    const state = await readIndexState(snapshot.db)
    return isReadable(state) && state.pending === 0
  } catch (error) {
    await snapshot.end()
    throw error
  }
}
