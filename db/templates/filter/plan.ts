/**
 * How a filter becomes a page: `toFilter()` (filter.ts) converts `where` to a filter. `planFilter()` converts the filter to
 * conditions with their SQL (operands/). `findPage()` (read/page.ts) then reads by the plan, in a snapshot (../snapshot.ts).
 */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { listCost, lookUpCost, maxFewTemplates, wordCost } from '../costs.ts'
import { estimateEntries, estimateRows, type Meter, run } from '../meter.ts'
import { listTraits, operandOf, type TemplateFilter } from './filter.ts'
import { type Condition, combine, negate } from './operands/operand.ts'
import { readsValues } from './operands/trait.ts'

/**
 * How to find the templates that match a filter. A plan is made once and used for pages, `hasNextPage`, the count and
 * facets.
 */
export interface Plan extends Pick<Condition, 'test' | 'testCost'> {
  /** `all`: every template matches; `walk`: no index helps, each row is tested; `find`: indexes list matches. */
  strategy: 'all' | 'walk' | 'find'
  /** Approximate number of templates in the database. */
  templates: number
  /** Selects the ids of all matches, possibly with duplicates. */
  ids: RawBuilder<number>
  /** Cost of finding all matches, at most. */
  cost: number
  /** Whether selecting only some ids takes less time. The ids of several conditions must all be intersected first. */
  canStopEarly: boolean
  /** Resolves with the ids of all matches; finds them on the first call for a snapshot. */
  findIds(db: Db, meter: Meter): Promise<Int32Array>
}

/** Plans a filter. The only queries that it runs count what the costs are estimated from. */
export async function planFilter(db: Db, filter: TemplateFilter): Promise<Plan> {
  const templates = await estimateRows(db, 'product_template')
  const conditions = toConditions(db, filter, await measureDensity(db, filter, templates))
  const { test, testCost, findCost, ids: indexed } = combine('and', conditions)
  const ids = indexed ?? sql`select id from product_template where ${test}`
  const cost = templates * findCost
  // By the snapshot, because a plan is used again on the database when a replica has failed.
  const found = new WeakMap<Db, Promise<Int32Array>>()
  const findIds = (db: Db, meter: Meter) => {
    const known =
      found.get(db) ?? findFew(db, conditions, meter).then(few => few ?? listIds(db, ids, cost, meter))
    found.set(db, known)
    return known
  }
  const strategy = conditions.length === 0 ? 'all' : indexed ? 'find' : 'walk'
  const canStopEarly = !indexed || conditions.length === 1
  return { strategy, templates, test, testCost, cost, ids, canStopEarly, findIds }
}

/** Converts a filter to a condition on a row of `product_template`. */
export const toTest = (db: Db, filter: TemplateFilter): Expression<SqlBool> =>
  combine('and', toConditions(db, filter, 1)).test

/** Traits whose entries are counted, and conditions that are asked for few matches; only generated filters have more. */
const maxAsked = 20

/**
 * Returns how many entries a template has of a trait whose values a filter reads: the most for any such trait, on average
 * over all templates, and at least 1. A plan multiplies its costs by it, because a template may have very many entries.
 */
async function measureDensity(db: Db, filter: TemplateFilter, templates: number) {
  let density = 1
  const read = listTraits(filter).filter(readsValues)
  for (const type of [...new Set(read.map(({ type }) => type))].slice(0, maxAsked))
    density = Math.max(density, (await estimateEntries(db, type)) / Math.max(1, templates))
  return density
}

/**
 * Finds the matches of all conditions if an index lists few for one of them; otherwise resolves with undefined. Without
 * this, a rare condition beside a common one takes 18 ms instead of 3 on SQLite, and 234 instead of 8 on PostgreSQL
 * (bench:reading, 100,000 templates, a slow machine, 2026-11-25).
 */
async function findFew(db: Db, conditions: Condition[], meter: Meter): Promise<Int32Array | undefined> {
  const asked = conditions.filter(({ ids, listsOneByOne }) => ids && listsOneByOne).slice(0, maxAsked)
  if (asked.length === 0) return undefined
  const { collectIds, isOneOf } = engineOf(db).syntax
  const columns = asked.map(
    ({ ids }, index) =>
      sql`(${collectIds(ids as RawBuilder<number>, maxFewTemplates + 1)}) as ${sql.ref(`c${index}`)}`
  )
  const query = sql<Record<string, string>>`select ${sql.join(columns)}`
  // Each value of a condition, such as one of many product ids, is a search of its own.
  const values = asked.reduce((sum, { testCost }) => sum + testCost / lookUpCost, 0)
  const listing = asked.length * maxFewTemplates * listCost + values * wordCost
  const [row = {}] = await run(db, query, listing, meter)
  const lists = asked.map((_, index) => parseIds(row[`c${index}`]))
  const [fewest] = lists.toSorted((one, other) => one.length - other.length) as [number[]]
  if (fewest.length > maxFewTemplates) return undefined
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

/** Converts a filter to conditions that must all hold. `density` is from {@link measureDensity}. */
function toConditions(db: Db, filter: TemplateFilter, density: number): Condition[] {
  const { and = [], or, not, ...byField } = filter
  const inner = (filter: TemplateFilter) => combine('and', toConditions(db, filter, density))
  return [
    ...Object.entries(byField).flatMap(([name, value]) => operandOf(name).plan(db, value, density)),
    ...and.flatMap(each => toConditions(db, each, density)),
    ...(or ? [combine('or', or.map(inner))] : []),
    ...(not ? [negate(inner(not))] : [])
  ]
}
