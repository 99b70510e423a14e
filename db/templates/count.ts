import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { maxTestCostOfScan } from './fetch-ids.ts'
import { type Meter, unmetered, visitCost } from './meter.ts'
import type { Plan } from './plan.ts'
import { run } from './run.ts'

/** Counts the matches. */
export async function countTemplates(db: Db, plan: Plan, meter: Meter): Promise<number> {
  if (plan.strategy === 'all') return countRows(db, sql`1 = 1`, plan.templates * visitCost, meter)
  if (plan.strategy === 'perRow' && plan.testCost <= maxTestCostOfScan)
    return countRows(db, plan.test, plan.cost, meter)
  const { ids, excluded } = await plan.matches(meter)
  if (!excluded) return ids.length
  return (await countRows(db, sql`1 = 1`, plan.templates * visitCost, meter)) - ids.length
}

async function countRows(db: Db, test: Plan['test'], cost: number, meter: Meter): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from product_template where ${test}`
  const rows = await run(db, query, cost, meter)
  return rows[0]?.count ?? 0
}

/** Milliseconds that an estimate of the number of templates is used. */
const estimateLifetime = 10_000
const estimates = new WeakMap<object, { templates: number; until: number }>()

/** Returns the approximate number of templates, for estimates of cost; counts them at most every ten seconds. */
export async function estimateTemplates(db: Db): Promise<number> {
  const { adapter } = db.getExecutor()
  const known = estimates.get(adapter)
  const now = performance.now()
  if (known && known.until > now) return known.templates
  // In a large store on a thread.
  const cost = (known?.templates ?? 0) * visitCost
  const templates = await countRows(db, sql`1 = 1`, cost, unmetered())
  estimates.set(adapter, { templates, until: now + estimateLifetime })
  return templates
}
