import { sql } from 'kysely'
import { perDatabase } from '../../per-database.ts'
import type { Db } from '../../schema.ts'
import { type Meter, run, unmetered, visitCost } from '../meter.ts'
import type { Plan } from '../plan/plan.ts'

/** Counts the matches. */
export async function countTemplates(db: Db, plan: Plan, meter: Meter): Promise<number> {
  const countAll = () => countRows(db, sql`1 = 1`, plan.templates * visitCost, meter)
  if (plan.strategy === 'all') return countAll()
  if (plan.strategy === 'walk') return countRows(db, plan.test, plan.cost, meter)
  if (plan.ids) {
    const query = sql<{ count: number }>`with found (id) as (${plan.ids})
      select count(distinct id) as count from found`
    const [row] = await run(db, query, plan.cost, meter)
    return row?.count ?? 0
  }
  const { ids, excluded } = await plan.matches(meter)
  return excluded ? (await countAll()) - ids.size : ids.size
}

async function countRows(db: Db, test: Plan['test'], cost: number, meter: Meter): Promise<number> {
  const query = sql<{ count: number }>`select count(*) as count from product_template where ${test}`
  const rows = await run(db, query, cost, meter)
  return rows[0]?.count ?? 0
}

/** Milliseconds that an estimate of the number of templates is used. */
const estimateLifetime = 10_000
const estimatesOf = perDatabase(() => new Map<string, { rows: number; until: number }>())

/** Returns the approximate number of templates, for estimates of cost; counts them at most every ten seconds. */
export const estimateTemplates = (db: Db): Promise<number> => estimateRows(db, 'product_template')

/** Returns the approximate number of rows of a table; counts them at most every ten seconds. */
export async function estimateRows(db: Db, table: 'product_template' | 'product_revision'): Promise<number> {
  const estimates = estimatesOf(db)
  const known = estimates.get(table)
  const now = performance.now()
  if (known && known.until > now) return known.rows
  const query = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`
  // In a large store on a thread.
  const [row] = await run(db, query, (known?.rows ?? 0) * visitCost, unmetered())
  const rows = row?.count ?? 0
  estimates.set(table, { rows, until: now + estimateLifetime })
  return rows
}
