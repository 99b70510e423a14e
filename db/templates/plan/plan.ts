/**
 * A filtered page on its way: `toFilter()` converts `where` to a filter, `planFilter()` converts that to conditions with
 * their SQL (filter/fields.ts) and runs nothing. `findPage()` (read/page.ts) reads by that plan, in the
 * operation's snapshot (read/snapshot.ts).
 */
import { expressionBuilder, type RawBuilder, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import type { TemplateFilter } from '../filter/fields.ts'
import { lookUpCost, type Meter, run } from '../meter.ts'
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

/** Plans a filter for about `templates` templates of a density from `measureDensity`. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number, density = 1): Plan {
  const conditions = toConditions(db, filter, { templates, density })
  const { test, testCost, cost, ids: indexed } = combine('and', conditions, templates)
  const ids = indexed ?? sql`select id from product_template where ${test}`
  let found: Promise<Int32Array> | undefined
  const matches = (meter: Meter) => {
    found ??= findFew(db, conditions, meter).then(few => few ?? listIds(db, ids, cost, meter))
    return found
  }
  const strategy = conditions.length === 0 ? 'all' : indexed ? 'find' : 'walk'
  const canStopEarly = !indexed || conditions.length === 1
  return { strategy, templates, test, testCost, cost, ids, canStopEarly, matches }
}

/** Ids that an index lists for a condition before it is known whether it lists many. */
const maxFew = 2000
/** Conditions that are asked for few matches; there are more only in filters that are generated. */
const maxConditionsToAsk = 20
/** Cost of as many ids that an index lists. */
const maxCostOfFew = 80

/**
 * Finds the matches of all conditions if an index lists few for one of them; otherwise resolves with undefined. Without
 * this, a rare condition beside a common one takes 18 ms instead of 3 on SQLite, and 234 instead of 8 on PostgreSQL
 * (bench:reading, 100,000 templates, a slow machine, 2026-11-25).
 */
async function findFew(db: Db, conditions: Condition[], meter: Meter): Promise<Int32Array | undefined> {
  const asked = conditions
    .filter(({ ids, listsOneByOne }) => ids && listsOneByOne)
    .slice(0, maxConditionsToAsk)
  if (asked.length === 0) return undefined
  const { collectIds, isOneOf } = engineOf(db).syntax
  const columns = asked.map(
    ({ ids }, index) => sql`(${collectIds(ids as RawBuilder<number>, maxFew + 1)}) as ${sql.ref(`c${index}`)}`
  )
  const askingCost = asked.reduce((sum, { cost }) => sum + Math.min(cost, maxCostOfFew), 0)
  const query = sql<Record<string, string>>`select ${sql.join(columns)}`
  const [row = {}] = await run(db, query, askingCost, meter)
  const lists = asked.map((_, index) => parseIds(row[`c${index}`]))
  const [fewest] = lists.toSorted((one, other) => one.length - other.length) as [number[]]
  if (fewest.length > maxFew) return undefined
  const others = conditions.filter(condition => condition !== asked[lists.indexOf(fewest)])
  if (fewest.length === 0 || others.length === 0) return withoutRepeated(fewest)
  const test = expressionBuilder().and(others.map(({ test }) => test))
  const cost = others.reduce((sum, { testCost }) => sum + testCost, lookUpCost) * fewest.length
  const isFew = isOneOf(sql.ref('product_template.id'), fewest)
  return listIds(db, sql`select id from product_template where ${isFew} and ${test}`, cost, meter)
}

/** Lists all ids that a query selects. */
async function listIds(db: Db, query: RawBuilder<number>, cost: number, meter: Meter): Promise<Int32Array> {
  const [row] = await run(db, engineOf(db).syntax.collectIds(query), cost, meter)
  return withoutRepeated(parseIds(row?.ids))
}

const parseIds = (json = '[]'): number[] => JSON.parse(json)

/** An index may list an id several times. */
const withoutRepeated = (ids: number[]): Int32Array => Int32Array.from(new Set(ids))
