import type { Db } from '../schema.ts'
import { readTemplatesVersion } from '../versions.ts'
import type { Meter } from './meter.ts'
import type { Plan } from './plan.ts'
import { planFilter } from './plan-filter.ts'

/** A plan, with the `Version.templates` that was read before the plan found anything. */
export interface PlannedFilter {
  plan: Plan
  version: string | undefined
}

/** Reads by a plan. It may be called several times, and only the last result counts. */
export type Read<T> = (db: Db, plan: Plan) => Promise<T>

/**
 * Reads with several statements as if with one: no template is written in between. If one was, it reads again, and the
 * last time in a snapshot. `planned` is renewed with that.
 */
export async function readConsistently<T>(db: Db, planned: PlannedFilter, read: Read<T>): Promise<T> {
  for (let tries = 0; tries < maxTries; tries++) {
    const result = await read(db, planned.plan)
    const version = await readTemplatesVersion(db)
    if (version !== undefined && version === planned.version) return result
    renew(db, planned, version)
  }
  return inSnapshot(db, snapshot => read(snapshot, planAgain(snapshot, planned)))
}

/** Like {@link readConsistently}, for what is read bit by bit: `read` is called once, in a snapshot. */
export async function readInSnapshot(
  db: Db,
  planned: PlannedFilter,
  meter: Meter,
  read: Read<void>
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const isLast = tries === maxTries
    // Found before the snapshot: in a transaction, long statements hold the event loop.
    const found = planned.plan.strategy === 'idList' && !isLast
    if (found) await planned.plan.matches(meter)
    const outdated = await inSnapshot(db, async snapshot => {
      const plan = planAgain(snapshot, planned)
      if (found) {
        const version = await readTemplatesVersion(snapshot)
        if (version === undefined || version !== planned.version) return { version }
        plan.matches = planned.plan.matches
      }
      await read(snapshot, plan)
      return undefined
    })
    if (!outdated) return
    renew(db, planned, outdated.version)
  }
}

/** Tries before everything is read in a snapshot, where each statement holds SQLite's event loop. */
const maxTries = 2

function renew(db: Db, planned: PlannedFilter, version: string | undefined): void {
  planned.plan = planAgain(db, planned)
  planned.version = version
}

const planAgain = (db: Db, { plan: { filter, templates } }: PlannedFilter): Plan =>
  planFilter(db, filter, templates)

const inSnapshot = <T>(db: Db, read: (snapshot: Db) => Promise<T>): Promise<T> =>
  db.isTransaction
    ? read(db)
    : db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(read)
