/**
 * A filtered page on its way: `toFilter()` converts `where` to a filter, `planFilter()` converts that to conditions with
 * their SQL (filter/fields.ts) and runs nothing. `findPage()` (read/page.ts) reads by that plan, in the operation's
 * snapshot (read/snapshot.ts).
 */
import { type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import type { TemplateFilter } from '../filter/fields.ts'
import { type Meter, run } from '../meter.ts'
import { type Condition, combine, toConditions } from './conditions.ts'

/**
 * How to find the templates that match a filter. A plan is made once and used for pages, `hasNextPage`, the count and
 * facets. Costs are estimates, in the unit of {@link Meter}.
 */
export interface Plan extends Pick<Condition, 'test' | 'testCost' | 'cost'> {
  /** `all`: every template matches; `walk`: no index helps, each row is tested; `find`: indexes list matches. */
  strategy: 'all' | 'walk' | 'find'
  /** Approximate number of templates in the database. */
  templates: number
  /** Selects the ids of all matches, possibly with duplicates. */
  ids: RawBuilder<number>
  /** Whether it takes less time to select only some of them: those of several conditions are intersected first. */
  canStopEarly: boolean
  /** Resolves with the ids of all matches; finds them on the first call. */
  matches(meter: Meter): Promise<Int32Array>
}

/** Plans a filter for about `templates` templates. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const conditions = toConditions(db, filter, templates)
  const { test, testCost, cost, ids: indexed } = combine('and', conditions, templates)
  const ids = indexed ?? sql`select id from product_template where ${test}`
  let found: Promise<Int32Array> | undefined
  const matches = (meter: Meter) => {
    found ??= listIds(db, ids, cost, meter)
    return found
  }
  const strategy = conditions.length === 0 ? 'all' : indexed ? 'find' : 'walk'
  const canStopEarly = !indexed || conditions.length === 1
  return { strategy, templates, test, testCost, cost, ids, canStopEarly, matches }
}

/** Lists all ids that a query selects. An index may list an id several times. */
async function listIds(db: Db, query: RawBuilder<number>, cost: number, meter: Meter): Promise<Int32Array> {
  const [row] = await run(db, engineOf(db).syntax.collectIds(query), cost, meter)
  const ids: number[] = JSON.parse(row?.ids ?? '[]')
  return Int32Array.from(new Set(ids))
}
