import { type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { lookUpCost, type Meter, visitCost } from '../meter.ts'
import { has, type IdSet } from '../plan/id-set.ts'
import type { Plan } from '../plan/plan.ts'
import { run } from '../plan/run.ts'
import { sortFew } from './candidates.ts'
import { type Match, readMatches, type Search } from './matches.ts'
import { noTest, rowsPerStep, type Step, startAfter, testRows, walkRows } from './steps.ts'

/** Rows at which a walk looks first, and growth of the steps after it. */
const firstRows = 500
const growth = 4
/** Cost of the steps that is always allowed, and the share of the cost of finding all matches. */
const minCostOfLooks = 400
const shareOfLooks = 0.1
/** Factor for the rows of a step, so that it probably has enough matches. */
const reserve = 1.3
/** Matches are common if this many rows have enough of them, judged by the first rows. */
const maxRowsToMeetAll = 5000
/** Up to this many matches are always looked up by id and sorted. */
const maxIdsToSort = 2000
/** Cost of finding out whether a row of an order is among the matches. */
const costOfMember = 0.03

/**
 * Yields at least `wanted` matches in order, in batches. If an index lists few templates, these are sorted; if many
 * match, testing the next rows of the order is enough; otherwise the plan finds the matches.
 */
export async function* walkMatches(
  db: Db,
  plan: Plan,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  if (plan.strategy === 'all') return yield* walkRows(db, noTest, search, wanted, meter)
  if (plan.isNarrow || wanted > firstRows) return yield* walkAll(db, plan, search, wanted, meter)
  const sorted = await sortFew(db, plan, search, wanted, meter)
  if (sorted) return yield sorted
  const first = await look(db, plan, search, wanted, meter)
  if (first.length === wanted) return yield first
  const isCommon = first.length * maxRowsToMeetAll >= wanted * rowsOfLook(plan)
  const meet = (matches: IdSet) => walkOrSort(db, plan, matches, search, first.length, wanted, meter)
  let few = isCommon ? undefined : await plan.findFew(maxIdsToSort, meter)
  if (few) return yield* meet(few)
  const { found, rest } = await lookOn(db, plan, search, first.length, wanted, meter)
  if (found.length === wanted || !rest) return yield found
  few = isCommon ? await plan.findFew(maxIdsToSort, meter) : undefined
  if (few) return yield* meet(few)
  const matches = plan.strategy === 'idList' ? await plan.matches(meter) : undefined
  if (matches && isFew(matches, plan)) return yield* meet(matches)
  yield found
  yield* walkAll(db, plan, rest, wanted - found.length, meter)
}

/** Returns up to `wanted` matches among the first rows of an order. If there are fewer rows, it may return none. */
async function look(db: Db, plan: Plan, search: Search, wanted: number, meter: Meter): Promise<Match[]> {
  const within = rowsOfLook(plan)
  if (plan.templates < within) return []
  const reading = { test: plan.test, limit: wanted, within }
  return readMatches(db, search, reading, query => run(db, query, costOfFirstRows(plan), meter))
}

/** Tests the rows of an order in growing steps, up to the maximum cost. `seen` is the number of matches in a look. */
async function lookOn(
  db: Db,
  plan: Plan,
  search: Search,
  seen: number,
  wanted: number,
  meter: Meter
): Promise<{ found: Match[]; rest: Search | undefined }> {
  const rowCost = visitCost + plan.testCost
  const most = rowsPerStep(plan)
  let found: Match[] = []
  let rest: Search | undefined = search
  let left = Math.max(minCostOfLooks, plan.cost * shareOfLooks)
  let rows = Math.min(seen > 0 ? rowsToMeet(plan, seen, wanted) : rowsOfLook(plan) * growth, most)
  while (found.length < wanted && rest && left >= rows * rowCost) {
    const step: Step = await testRows(db, plan, rest, rows, wanted - found.length, meter)
    found = [...found, ...step.found]
    rest = step.end && startAfter(search, step.end)
    left -= rows * rowCost
    rows = Math.min(rows * growth, most)
  }
  return { found, rest }
}

/** Yields the matches of a range without testing its next rows first. */
async function* walkAll(
  db: Db,
  plan: Plan,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  if (plan.strategy === 'perRow') return yield* walkRows(db, plan, search, wanted, meter)
  const matches = await plan.matches(meter)
  if (isFew(matches, plan)) return yield* sortMatches(db, matches, search, wanted, meter)
  let left = wanted
  const all = { ...search, fields: undefined }
  for await (const step of walkRows(db, noTest, all, Number.POSITIVE_INFINITY, meter)) {
    const kept = step.filter(({ id }) => has(matches, id))
    yield kept
    left -= kept.length
    if (left <= 0) return
  }
}

/** Whether to look up matches and sort them is cheaper than to walk the order until enough are met. */
const isFew = ({ ids, excluded }: IdSet, { templates }: Plan): boolean =>
  !excluded && ids.length <= Math.max(maxIdsToSort, (templates * visitCost) / lookUpCost)

/** Walks the order if that is probably cheaper than sorting all matches. `seen` of its first rows match. */
async function* walkOrSort(
  db: Db,
  plan: Plan,
  matches: IdSet,
  search: Search,
  seen: number,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  const within = seen > 0 ? rowsToMeet(plan, seen, wanted) : Number.POSITIVE_INFINITY
  const cost = within * costOfMember
  if (cost < matches.ids.length * lookUpCost) {
    const test = engineOf(db).isOneOf(sql.ref('product_template.id'), matches.ids)
    const walked = { test, limit: wanted, within }
    const found = await readMatches(db, search, walked, query => run(db, query, cost, meter))
    if (found.length === wanted) return yield found
  }
  yield* sortMatches(db, matches, search, wanted, meter)
}

/** Returns how many rows probably have enough matches, if the first ones have `seen`. */
const rowsToMeet = (plan: Plan, seen: number, wanted: number): number =>
  Math.ceil(rowsOfLook(plan) * (wanted / seen) * reserve)

/** Looks up matches by id and sorts them. */
async function* sortMatches(
  db: Db,
  { ids }: IdSet,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  if (ids.length === 0) return
  const test = sql<SqlBool>`product_template.id in (${engineOf(db).listIds(ids)})`
  const limit = Math.min(wanted, ids.length)
  const sorted = { test, limit, from: sql`product_template` }
  yield await readMatches(db, search, sorted, query => run(db, query, ids.length * lookUpCost, meter))
}

const rowsOfLook = (plan: Plan): number => Math.min(firstRows, rowsPerStep(plan))

/** Cost of testing the first rows of an order. */
export const costOfFirstRows = (plan: Plan): number => rowsOfLook(plan) * (visitCost + plan.testCost)
