import { unavailable } from '../../../errors.ts'
import { IndexNotReady } from '../../dialects/faults.ts'
import { replicaOf } from '../../replica.ts'
import type { Db } from '../../schema.ts'
import { readInSnapshot } from '../../transaction.ts'
import { readTemplatesVersion } from '../../versions.ts'
import { filterNeedsIndex, type TemplateFilter } from '../filter/fields.ts'
import { ensureIndexed, isReadable, readIndexState } from '../index/state.ts'
import { type Plan, planFilter } from '../plan/plan.ts'
import { estimateTemplates } from './page.ts'

/** What is known before a filter is planned. */
interface Circumstances {
  /** `Version.templates`, read before the index is checked and before the plan reads anything. */
  version: string | undefined
  /** Whether the filter or what is read needs a complete index. */
  needsIndex: boolean
  signal?: AbortSignal
}

export interface PlannedFilter extends Circumstances {
  plan: Plan
}

/** Reads by a plan. It may be called several times, and only the last result counts. */
export type Read<T> = (db: Db, plan: Plan) => Promise<T>

/**
 * Plans a filter as soon as the index is complete, if the filter needs it or what is read does. Rejects with
 * IndexNotReady.
 */
export async function planReading(
  db: Db,
  filter: TemplateFilter,
  circumstances: Circumstances
): Promise<PlannedFilter> {
  const needsIndex = circumstances.needsIndex || filterNeedsIndex(filter)
  if (needsIndex) await ensureIndexed(db, circumstances.signal)
  return { ...circumstances, needsIndex, plan: planFilter(db, filter, await estimateTemplates(db)) }
}

/**
 * Reads with several statements as if with one: if a template was written in between, it renews `planned` and reads
 * again; the last attempt reads in a snapshot. A replica is tried first. For long results, `pass` is called once, in a
 * snapshot as of the moment of `read`, and may pass on what that has found.
 */
export async function readAtOneVersion<T>(
  db: Db,
  planned: PlannedFilter,
  read: Read<T>,
  pass?: (snapshot: Db, found: T) => Promise<void>
): Promise<T> {
  let hasBegun = false
  const readWithin = async (snapshot: Db, plan: Plan) => {
    const found = await read(snapshot, plan)
    hasBegun = pass !== undefined
    await pass?.(snapshot, found)
    return { found }
  }
  const replicated = await onReplica(db, planned, readWithin)
  if (replicated) return replicated.found
  if (hasBegun) throw unavailable('the replica failed while a list was read')
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await read(db, planned.plan)
    const finish = async (db: Db) => {
      const version = await readTemplatesVersion(db)
      const isCurrent = version !== undefined && version === planned.version
      if (isCurrent) await pass?.(db, found)
      return { isCurrent, version }
    }
    const { isCurrent, version } = await (pass ? inSnapshot(db, planned, finish) : finish(db))
    if (isCurrent) return found
    await renew(db, planned, version)
  }
  const { found } = await inSnapshot(db, planned, snapshot =>
    readWithin(snapshot, planAgain(snapshot, planned))
  )
  return found
}

/** Reads on the replica, if it has the version and, if that is needed, a complete index. */
const onReplica = async <T>(db: Db, planned: PlannedFilter, read: Read<T>): Promise<T | undefined> =>
  replicaOf(db)?.read(planned.version, planned.signal, async snapshot =>
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
    const done = await readInSnapshot(db, async snapshot => {
      if (needsIndex && !(await isIndexed(snapshot))) return undefined
      return { result: await read(snapshot) }
    })
    if (done) return done.result
    await ensureIndexed(db)
  }
  throw new IndexNotReady('templates are written with plain SQL all the time')
}
