import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import type { Field } from '../filter/fields.ts'
import { type Meter, maxCostInLoop, visitCost } from '../meter.ts'
import { countIds, fetchIds, scanIds } from './fetch-ids.ts'
import { complement, type IdSet } from './id-set.ts'
import type { Plan } from './plan.ts'

/** A part of a filter. `find` returns undefined if it finds `limit` templates or more. */
export interface Part extends Omit<Plan, 'filter' | 'strategy' | 'templates' | 'matches' | 'findFew'> {
  indexed: boolean
  find(meter: Meter, limit?: number): Promise<IdSet | undefined>
  /** Like {@link Plan.findFew}, at this cost at most; absent if no index can show it. */
  findFew?(limit: number, meter: Meter, maxCost: number): Promise<IdSet | undefined>
}

/** If an index lists more ids for a condition, another condition is tried. */
export const maxIdsToProbe = 20_000
/** Cost per id of a probe, if the index lists ids one by one. */
export const costPerProbedId = 0.04

/** Plans a condition on a field. */
export function planCondition(db: Db, field: Field<unknown>, value: unknown, templates: number): Part {
  const testCost = field.testCost(value)
  const test = field.test(db, value)
  const query = field.find(db, value, test)
  const isNarrow = field.isNarrow(value)
  const scanned = { test, testCost, isNarrow, cost: templates * (visitCost + testCost) }
  if (!query) return { ...scanned, indexed: false, find: meter => scanIds(db, scanned, templates, meter) }
  const cost = templates * field.findCost(value)
  const probeShare = field.probeShare(value)
  const most = field.maxCandidates(value)
  const { indexedColumn } = field
  const listed = indexedColumn && { column: indexedColumn, test }
  const candidates = { ids: query, listed, testCost: 0, most }
  const costOfProbe = (limit: number) =>
    probeShare === 0 ? Math.min(cost, limit * costPerProbedId) : cost * probeShare
  const request = (limit?: number) => ({ cost: limit === undefined ? cost : costOfProbe(limit), limit })
  const fetch = (meter: Meter, limit?: number) => fetchIds(db, query, request(limit), meter)
  const count = (meter: Meter, limit?: number) => countIds(db, query, request(limit), meter)
  // Most values match few templates, so a probe is faster than a statement on a thread.
  const probesFirst = probeShare === 0 && cost > maxCostInLoop
  const probe = async <T>(ask: (meter: Meter, limit?: number) => Promise<T>, meter: Meter) =>
    (probesFirst ? await ask(meter, maxIdsToProbe) : undefined) ?? ask(meter)
  return {
    ...scanned,
    indexed: true,
    cost,
    count: async meter => (await probe(count, meter)) ?? 0,
    candidates: most > 0 ? candidates : undefined,
    findFew: async (limit, meter, maxCost) =>
      costOfProbe(limit) <= maxCost ? fetch(meter, limit) : undefined,
    find: (meter, limit) => (limit === undefined ? probe(fetch, meter) : fetch(meter, limit))
  }
}

/** Plans the negation of a part. */
export function negate({ findFew: _few, candidates: _candidates, count: _count, ...part }: Part): Part {
  return {
    ...part,
    isNarrow: false,
    // A condition that is NULL for a row counts as false, so its negation is true.
    test: sql`not coalesce(${part.test}, ${falsy})`,
    async find(meter) {
      return complement((await part.find(meter)) as IdSet)
    }
  }
}

const falsy = sql<SqlBool>`1 = 0`
