import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { lookUpCost, type Meter, stepCost, visitCost } from '../meter.ts'
import { defaultOrder } from '../read/order.ts'
import { type Test, walkRows } from '../read/steps.ts'
import { type IdSet, toIdSet } from './id-set.ts'
import { run } from './run.ts'

/** A request to an index for ids. */
interface Request {
  /** Cost of listing all of them. */
  cost: number
  limit?: number | undefined
}

/** Fetches the ids that a query selects; undefined if there are `limit` or more. */
export async function fetchIds(
  db: Db,
  query: RawBuilder<number>,
  { cost, limit }: Request,
  meter: Meter
): Promise<IdSet | undefined> {
  const rows = await run(db, engineOf(db).collectIds(query, limit), cost, meter)
  const ids: number[] = JSON.parse(rows[0]?.ids ?? '[]')
  // Compared before duplicates are removed: a query may list a template more than once.
  return limit !== undefined && ids.length >= limit ? undefined : toIdSet(ids)
}

/** Counts the ids that a query selects; undefined if there are `limit` or more. */
export async function countIds(
  db: Db,
  query: RawBuilder<number>,
  { cost, limit }: Request,
  meter: Meter
): Promise<number | undefined> {
  const few = limit === undefined ? sql`` : sql`limit ${limit}`
  const counted = sql<{ listed: number; count: number }>`with found (id) as (${query})
    select count(*) as listed, count(distinct id) as count from (select id from found ${few}) as counted`
  const [{ listed, count } = { listed: 0, count: 0 }] = await run(db, counted, cost, meter)
  return limit !== undefined && listed >= limit ? undefined : count
}

/** Up to this cost per row, a test runs on all templates in one statement; others run in steps. */
export const maxTestCostOfScan = 0.05

/** Finds the ids of all templates that pass a test. */
export async function scanIds(db: Db, test: Test, templates: number, meter: Meter): Promise<IdSet> {
  if (test.testCost <= maxTestCostOfScan) {
    const query = sql<number>`select id from product_template where ${test.test ?? sql`1 = 1`}`
    const rows = await run(db, engineOf(db).collectIds(query), templates * (visitCost + test.testCost), meter)
    return toIdSet(JSON.parse(rows[0]?.ids ?? '[]'))
  }
  const ids: number[] = []
  for await (const step of walkRows(db, test, { order: defaultOrder }, Number.POSITIVE_INFINITY, meter))
    for (const { id } of step) ids.push(id)
  return toIdSet(ids)
}

/** Returns those of the given ids whose templates pass a test. */
export async function testIds(
  db: Db,
  { test, testCost }: Test,
  { ids }: IdSet,
  meter: Meter
): Promise<IdSet> {
  const engine = engineOf(db)
  const rows = Math.max(1, Math.floor(stepCost / (lookUpCost + testCost)))
  const kept: number[] = []
  for (let start = 0; start < ids.length; start += rows) {
    const step = ids.subarray(start, start + rows)
    const query = sql<number>`select id from product_template where id in (${engine.listIds(step)}) and ${test}`
    const found = await run(db, engine.collectIds(query), step.length * (lookUpCost + testCost), meter)
    kept.push(...(JSON.parse(found[0]?.ids ?? '[]') as number[]))
  }
  return toIdSet(kept)
}
