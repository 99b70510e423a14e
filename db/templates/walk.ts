import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../dialects/engine.ts'
import type { Db, ProductTemplateTable } from '../schema.ts'
import { membership } from './id-set.ts'
import { lookUpCost, type Meter, stepCost, visitCost } from './meter.ts'
import { type Position, type Range, selectInOrder, type TemplateOrder } from './order.ts'
import type { Plan } from './plan.ts'

/** An order and a range in it. */
export interface Search extends Range {
  order: TemplateOrder
}

/** Rows of the order tested before all matches are looked up in an index. */
const firstStepRows = 500
/** Rows per later step. */
const maxStepRows = 5000
/** Up to this many matches are looked up by id and sorted; more are met by walking the order. */
const maxIdsToSort = 2000
/** The condition to test on each row; if it is undefined, all rows match. */
export interface Test {
  test?: Expression<SqlBool>
  testCost: number
  columns: (keyof ProductTemplateTable)[]
}

const noTest: Test = { testCost: 0, columns: [] }

/**
 * Yields the positions of at least `wanted` matches in order, in batches. If many templates match, testing the next
 * rows of the order is enough; otherwise the plan finds the matches.
 */
export async function* walkMatches(
  db: Db,
  plan: Plan,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Position[]> {
  let rest = search
  let left = wanted
  if (plan.strategy !== 'all' && wanted <= firstStepRows) {
    const step = await walkStep(db, plan, search, Math.min(firstStepRows, rowsOfStep(plan)), left, meter)
    yield step.found
    left -= step.found.length
    if (left <= 0 || !step.end) return
    rest = { ...search, after: step.end, from: undefined }
  }
  if (plan.strategy === 'idList') yield* walkFound(db, plan, rest, left, meter)
  else yield* walkRows(db, plan.strategy === 'all' ? noTest : plan, rest, left, meter)
}

/** Tests each row of the order. */
export async function* walkRows(
  db: Db,
  test: Test,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Position[]> {
  let rest = search
  for (let left = wanted; left > 0; ) {
    const step = await walkStep(db, test, rest, rowsOfStep(test), left, meter)
    yield step.found
    if (!step.end) return
    left -= step.found.length
    rest = { ...search, after: step.end, from: undefined }
  }
}

/** Finds all matches by the plan, then yields their positions in order. */
async function* walkFound(
  db: Db,
  plan: Plan,
  search: Search,
  wanted: number,
  meter: Meter
): AsyncGenerator<Position[]> {
  const found = await plan.matches(meter)
  if (!found.excluded && found.ids.length <= maxIdsToSort) {
    meter.spend(found.ids.length * lookUpCost)
    const limit = Math.min(wanted, maxIdsToSort)
    yield await selectInOrder(db, search.order, search)
      .where(sql<SqlBool>`product_template.id in (${engineOf(db).listIds(found.ids)})`)
      .limit(limit)
      .execute()
    return
  }
  const has = membership(found)
  let left = wanted
  for await (const step of walkRows(db, noTest, search, Number.POSITIVE_INFINITY, meter)) {
    const kept = step.filter(({ id }) => has(id))
    yield kept
    left -= kept.length
    if (left <= 0) return
  }
}

/** Cost of testing the first rows of an order. */
export const firstStepCost = ({ testCost }: Plan): number => firstStepRows * (visitCost + testCost)

const rowsOfStep = ({ testCost }: Test): number =>
  Math.max(1, Math.min(maxStepRows, Math.floor(stepCost / (visitCost + testCost))))

/** Returns the matches among the next rows of an order and the end of those rows; undefined at the end of the order. */
async function walkStep(
  db: Db,
  { test, testCost, columns }: Test,
  { order, ...range }: Search,
  rows: number,
  wanted: number,
  meter: Meter
): Promise<{ found: Position[]; end: Position | undefined }> {
  meter.spend(rows * (visitCost + testCost))
  await meter.turn()
  const next = selectInOrder(db, order, range)
  if (!test) {
    const found = await next.limit(Math.min(rows, wanted)).execute()
    return { found, end: found.length === rows ? found.at(-1) : undefined }
  }
  const window = next.select(columns.filter(column => column !== 'id')).limit(rows)
  const direction = order.direction === 'ASC' ? 'asc' : 'desc'
  const found = await db
    .selectFrom(window.as('product_template'))
    .select(['key', 'id'])
    .where(test)
    .orderBy('key', direction)
    .orderBy('id', direction)
    .limit(Math.min(rows, wanted))
    .execute()
  if (found.length >= wanted) return { found, end: undefined }
  return {
    found,
    end: await next
      .limit(1)
      .offset(rows - 1)
      .executeTakeFirst()
  }
}
