import type { Db, Transaction } from '../../schema.ts'
import { filterNeedsIndex, type TemplateFilter } from '../filter/filter.ts'
import { type Plan, planFilter } from '../filter/plan.ts'
import { type Meter, NeedsThread, needsThread } from '../meter.ts'
import { type OtherSnapshot, openSnapshot, reopening, type SnapshotOptions } from '../snapshot.ts'

/** What to read outside an operation of GraphQL, which reads several filters in one snapshot. */
interface PlannedRead extends Omit<SnapshotOptions, 'needsIndex'> {
  filter: TemplateFilter
  /** Whether the job needs a complete index, whatever the filter. */
  needsIndex?: boolean
  meter: Meter
  /** Whether the job may run again. A job that has effects outside the snapshot must not. */
  retries?: boolean
}

/**
 * Plans a filter, and runs a job that reads by the plan in a snapshot, with a meter. The job runs again if it needs another
 * snapshot ({@link reopening}).
 */
export async function readByPlan<T>(
  db: Db,
  planned: PlannedRead,
  job: (snapshot: Transaction, plan: Plan, meter: Meter) => Promise<T>
): Promise<T> {
  const { filter, meter, retries = true, needsIndex = false, ...options } = planned
  const snapshot = await openSnapshot(db, {
    ...options,
    needsIndex: needsIndex || filterNeedsIndex(filter)
  })
  const guarded: Meter = {
    spend: cost => meter.spend(cost),
    turn: () => meter.turn(),
    allowHere(cost) {
      if (retries && needsThread(snapshot, cost)) throw new NeedsThread()
    }
  }
  let other: OtherSnapshot | undefined
  try {
    return await job(snapshot.db, await planFilter(snapshot.db, filter), guarded)
  } catch (error) {
    other = reopening(snapshot, error)
    if (!other || !retries) throw error
  } finally {
    await snapshot.end()
  }
  return readByPlan(db, { ...planned, ...other }, job)
}
