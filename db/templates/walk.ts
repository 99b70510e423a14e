import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db } from '../schema.ts'
import { has, type IdSet } from './id-set.ts'
import { type Match, readMatches } from './matches.ts'
import { lookUpCost, type Meter, statementCost, stepCost, visitCost } from './meter.ts'
import { type Position, type Range, type Reading, selectInOrder, type TemplateOrder } from './order.ts'
import type { Plan } from './plan.ts'
import type { TemplateFields } from './product-templates.ts'
import { run } from './run.ts'

/** An order and a range in it. */
export interface Search extends Range {
  order: TemplateOrder
  /** What to read of the matches where no statement more is needed for it. */
  fields?: TemplateFields | undefined
}

/** Rows at which a walk looks first, and growth of the steps after it. */
const firstRows = 500
const growth = 4
/** Cost of the steps that is always allowed, and the share of the cost of finding all matches. */
const minCostOfLooks = 400
const shareOfLooks = 0.1
/** Rows per later step. */
const maxStepRows = 20_000
/** A step that is expected to have enough matches has so many times the rows. */
const reserve = 1.3
/** Matches are common if this many rows have enough of them, judged by the first rows. */
const maxRowsToMeetAll = 5000
/** Up to this many matches are always looked up by id and sorted. */
const maxIdsToSort = 2000
/** Cost of finding out whether a row of an order is among the matches. */
const costOfMember = 0.03

/** The condition to test on each row; if it is undefined, all rows match. */
export interface Test {
  test?: Expression<SqlBool>
  testCost: number
}

const noTest: Test = { testCost: 0 }

/**
 * Yields at least `wanted` matches in order, in batches. If many templates match, testing the next rows of the order is
 * enough; if few do, an index lists them at once; otherwise the plan finds the matches.
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
  const first = await look(db, plan, search, wanted, meter)
  if (first.length === wanted) return yield first
  const isCommon = first.length * maxRowsToMeetAll >= wanted * rowsOfLook(plan)
  let few = isCommon ? undefined : await plan.findFew(maxIdsToSort, meter)
  if (few) return yield* walkOrSort(db, plan, few, search, first.length, wanted, meter)
  const { found, rest } = await lookOn(db, plan, search, first.length, wanted, meter)
  if (found.length === wanted || !rest) return yield found
  few = isCommon ? await plan.findFew(maxIdsToSort, meter) : undefined
  if (few) return yield* walkOrSort(db, plan, few, search, first.length, wanted, meter)
  const matches = plan.strategy === 'idList' ? await plan.matches(meter) : undefined
  if (matches && isFew(matches, plan))
    return yield* walkOrSort(db, plan, matches, search, first.length, wanted, meter)
  yield found
  yield* walkAll(db, plan, rest, wanted - found.length, meter)
}

/** Returns up to `wanted` matches among the first rows of an order; maybe none if there are fewer rows. */
async function look(db: Db, plan: Plan, search: Search, wanted: number, meter: Meter): Promise<Match[]> {
  const within = rowsOfLook(plan)
  if (plan.templates < within) return []
  const { test, testCost } = plan
  meter.spend(statementCost + within * (visitCost + testCost))
  await meter.turn()
  return read(db, search, { test, limit: wanted, within })
}

/** Tests the rows of an order in growing steps, up to the maximum cost; `seen` is what a look has found. */
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

/** Walks the order if its first rows, of which `seen` match, show that this is cheaper than to sort all matches. */
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
    const { order, fields } = search
    const walked = { order, range: search, test, limit: wanted, within }
    const found = await readMatches(db, walked, fields, query => run(db, query, cost, meter))
    if (found.length === wanted) return yield found
  }
  yield* sortMatches(db, matches, search, wanted, meter)
}

/** Rows that probably have enough matches, if the first ones have `seen`. */
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
  const { order, fields } = search
  const sorted = { order, range: search, test, limit, walks: false }
  yield await readMatches(db, sorted, fields, query => run(db, query, ids.length * lookUpCost, meter))
}

/** Tests each row of the order. */
export async function* walkRows(
  db: Db,
  test: Test,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Match[]> {
  const rows = rowsPerStep(test)
  let rest = search
  for (let left = wanted; left > 0; ) {
    const { found, end } = await testRows(db, test, rest, rows, left, meter)
    yield found
    left -= found.length
    if (!end) return
    rest = startAfter(search, end)
  }
}

const startAfter = (search: Search, after: Position): Search => ({ ...search, after, from: undefined })

const rowsPerStep = ({ testCost }: Test): number =>
  Math.max(1, Math.min(maxStepRows, Math.floor(stepCost / (visitCost + testCost))))

const rowsOfLook = (plan: Plan): number => Math.min(firstRows, rowsPerStep(plan))

/** Cost of testing the first rows of an order. */
export const costOfFirstRows = (plan: Plan): number => rowsOfLook(plan) * (visitCost + plan.testCost)

/** The matches among some rows of an order, and the end of those rows if more follow. */
interface Step {
  found: Match[]
  end: Position | undefined
}

/** Returns the first `wanted` matches among the next rows of an order, and the end of those rows if more follow. */
async function testRows(
  db: Db,
  { test, testCost }: Test,
  search: Search,
  rows: number,
  wanted: number,
  meter: Meter
): Promise<Step> {
  meter.spend(statementCost + Math.min(rows, test ? rows : wanted) * (visitCost + testCost))
  await meter.turn()
  const limit = Math.min(rows, wanted)
  if (!test) {
    const found = await read(db, search, { limit })
    return { found, end: found.length === rows ? found.at(-1) : undefined }
  }
  const { order } = search
  const last = selectInOrder(db, { order, range: search, limit: 1, offset: rows - 1 })
  const [end] = (await last.execute(db)).rows
  const range = end ? { ...search, before: undefined, through: end } : search
  return { found: await read(db, range, { test, limit }), end }
}

const read = (db: Db, search: Search, reading: Omit<Reading, 'order' | 'range'>): Promise<Match[]> =>
  readMatches(db, { ...reading, order: search.order, range: search }, search.fields, async query => {
    const { rows } = await query.execute(db)
    return rows
  })
