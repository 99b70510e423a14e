import { unavailable } from '../../../errors.ts'
import { IndexNotReady } from '../../dialects/faults.ts'
import type { Db } from '../../schema.ts'
import { readTemplatesVersion } from '../../versions.ts'
import { ensureIndexed, isReadable, readIndexState } from '../index/state.ts'
import { type Plan, planFilter } from '../plan/plan.ts'

/** A plan, with the `Version.templates` that was read before the index check and before the plan read anything. */
export interface PlannedFilter {
  plan: Plan
  version: string | undefined
  /** Whether the filter or the order needs a complete index. */
  needsIndex: boolean
  /** Reads on a replica that has the version; resolves with undefined without one. */
  readReplica?: <T>(version: string, job: (snapshot: Db) => Promise<T | undefined>) => Promise<T | undefined>
}

/** Reads by a plan. It may be called several times, and only the last result counts. */
export type Read<T> = (db: Db, plan: Plan) => Promise<T>

/**
 * Reads with several statements as if with one. If a template was written in between, it renews `planned` and reads
 * again. The last attempt reads in a snapshot. A replica is tried first.
 */
export async function readConsistently<T>(db: Db, planned: PlannedFilter, read: Read<T>): Promise<T> {
  const done = await onReplica(planned, async (snapshot, plan) => ({ result: await read(snapshot, plan) }))
  if (done) return done.result
  for (let tries = 0; tries < maxTries; tries++) {
    const result = await read(db, planned.plan)
    const version = await readTemplatesVersion(db)
    if (version !== undefined && version === planned.version) return result
    await renew(db, planned, version)
  }
  return inSnapshot(db, planned, snapshot => read(snapshot, planAgain(snapshot, planned)))
}

/**
 * Like {@link readConsistently}, for long results: `find` finds out what to read before the snapshot, and `read`, which
 * is called once, may pass on batches of it.
 */
export async function readInSnapshot<T>(
  db: Db,
  planned: PlannedFilter,
  find: Read<T>,
  read: (snapshot: Db, found: T) => Promise<void>
): Promise<void> {
  let hasBegun = false
  const isDone = await onReplica(planned, async (snapshot, plan) => {
    const found = await find(snapshot, plan)
    hasBegun = true
    await read(snapshot, found)
    return true
  })
  if (isDone) return
  if (hasBegun) throw unavailable('the replica failed while a list was read')
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await find(db, planned.plan)
    const outdated = await inSnapshot(db, planned, async snapshot => {
      const version = await readTemplatesVersion(snapshot)
      if (version === undefined || version !== planned.version) return { version }
      await read(snapshot, found)
      return undefined
    })
    if (!outdated) return
    await renew(db, planned, outdated.version)
  }
  await inSnapshot(db, planned, async snapshot =>
    read(snapshot, await find(snapshot, planAgain(snapshot, planned)))
  )
}

/** Reads on the replica, if it has the version and, if that is needed, a complete index. */
const onReplica = <T>(planned: PlannedFilter, read: Read<T>): Promise<T | undefined> | undefined =>
  planned.version === undefined
    ? undefined
    : planned.readReplica?.(planned.version, async snapshot =>
        planned.needsIndex && !(await isIndexed(snapshot))
          ? undefined
          : read(snapshot, planAgain(snapshot, planned))
      )

/** Attempts before everything is read in a snapshot. On SQLite, each statement of a snapshot blocks the event loop. */
const maxTries = 2

/** Attempts to begin a snapshot without unindexed templates, which other programs write with plain SQL. */
const maxSnapshots = 10

async function renew(db: Db, planned: PlannedFilter, version: string | undefined): Promise<void> {
  if (planned.needsIndex && !db.isTransaction) await ensureIndexed(db)
  planned.plan = planAgain(db, planned)
  planned.version = version
}

const planAgain = (db: Db, { plan: { filter, templates } }: PlannedFilter): Plan =>
  planFilter(db, filter, templates)

async function isIndexed(snapshot: Db): Promise<boolean> {
  const state = await readIndexState(snapshot)
  return isReadable(state) && state.pending === 0
}

async function inSnapshot<T>(
  db: Db,
  { needsIndex }: PlannedFilter,
  read: (snapshot: Db) => Promise<T>
): Promise<T> {
  if (db.isTransaction) return read(db)
  for (let tries = 0; tries < maxSnapshots; tries++) {
    const done = await db
      .transaction()
      .setAccessMode('read only')
      .setIsolationLevel('repeatable read')
      .execute(async snapshot => {
        if (needsIndex && !(await isIndexed(snapshot))) return undefined
        return { result: await read(snapshot) }
      })
    if (done) return done.result
    await ensureIndexed(db)
  }
  throw new IndexNotReady('templates are written with plain SQL all the time')
}
