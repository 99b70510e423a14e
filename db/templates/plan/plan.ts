/**
 * A filtered page on its way: `toFilter()` converts `where` to a filter, `planFilter()` converts that to a tree of
 * conditions with their SQL (filter/fields.ts) and runs nothing. `findPage()` (read/page.ts) chooses a strategy by that
 * plan. If it is to find the matches by indexes, `findMatches()` does so. `readConsistently()`
 * (read/consistent.ts) repeats all that if a template was written meanwhile.
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
  filter: TemplateFilter
  /** `all`: every template matches; `walk`: no index helps, each row is tested; `find`: indexes list matches. */
  strategy: 'all' | 'walk' | 'find'
  /** Approximate number of templates in the database. */
  templates: number
  /** Selects the ids of all matches, possibly with duplicates, if one index has them. */
  ids: RawBuilder<number> | undefined
  /** Returns all matches; finds them on the first call. */
  matches(meter: Meter): Promise<IdSet>
}

/** Plans a filter for about `templates` templates. Runs no query. */
export function planFilter(db: Db, filter: TemplateFilter, templates: number): Plan {
  const conditions = toConditions(db, filter, templates)
  const root = combine('and', conditions, templates)
  const { test, testCost, cost, kind } = root
  const strategy = conditions.length === 0 ? 'all' : kind === 'scan' ? 'walk' : 'find'
  let found: Promise<IdSet> | undefined
  const matches = (meter: Meter) => {
    found ??= findMatches(db, root, meter)
    return found
  }
  const ids = root.kind === 'index' ? root.ids : undefined
  return { filter, strategy, templates, test, testCost, cost, ids, matches }
}

/** A set of templates by id. If `excluded`, all templates except these. */
export interface IdSet {
  ids: Set<number>
  excluded: boolean
}

/** Ids that an index lists for a condition before it is known whether it lists many. */
const maxFew = 2000
/** Conditions that are asked for few matches; there are more only in filters that are generated. */
const maxConditionsToAsk = 20
/** Cost of as many ids that an index lists. */
const maxCostOfFew = 80

/** The matches of the conditions that have few. */
type Few = Map<Condition, IdSet>

const none: IdSet = { ids: new Set(), excluded: false }

/** Finds the ids of all matches of a condition by indexes. What has no index is tested on every template. */
export async function findMatches(db: Db, condition: Condition, meter: Meter): Promise<IdSet> {
  return find(db, condition, await findFew(db, condition, meter), meter)
}

/** Finds the conditions that few templates match, with their matches, in one statement. */
async function findFew(db: Db, root: Condition, meter: Meter): Promise<Few> {
  const asked = indexedParts(root).slice(0, maxConditionsToAsk)
  const few: Few = new Map()
  if (asked.length === 0) return few
  const { collectIds } = engineOf(db)
  const columns = asked.map(
    ({ ids }, index) => sql`(${collectIds(ids, maxFew + 1)}) as ${sql.ref(`c${index}`)}`
  )
  const query = sql<Record<string, string>>`select ${sql.join(columns)}`
  const cost = asked.reduce((sum, { cost }) => sum + Math.min(cost, maxCostOfFew), 0)
  const [row = {}] = await run(db, query, cost, meter)
  for (const [index, condition] of asked.entries()) {
    const ids: number[] = JSON.parse(row[`c${index}`] ?? '[]')
    if (ids.length <= maxFew) few.set(condition, { ids: new Set(ids), excluded: false })
  }
  return few
}

/** Returns the conditions whose indexes list ids one by one. */
function indexedParts(condition: Condition): (Condition & { kind: 'index' })[] {
  if (condition.kind === 'index') return condition.listsOneByOne ? [condition] : []
  if (condition.kind === 'not') return indexedParts(condition.part)
  return condition.kind === 'scan' ? [] : condition.parts.flatMap(indexedParts)
}

async function find(db: Db, condition: Condition, few: Few, meter: Meter): Promise<IdSet> {
  const known = few.get(condition)
  if (known) return known
  switch (condition.kind) {
    case 'scan':
      return listIds(db, sql`select id from product_template where ${condition.test}`, condition.cost, meter)
    case 'index':
      return listIds(db, condition.ids, condition.cost, meter)
    case 'not':
      return complement(await find(db, condition.part, few, meter))
    case 'and':
      return findCommon(db, condition.parts, few, meter)
    default: {
      let found = none
      for (const part of condition.parts) found = unite(found, await find(db, part, few, meter))
      return found
    }
  }
}

/** Finds what all conditions have in common: the cheapest first, the others by an index or by testing what is left. */
async function findCommon(db: Db, parts: Condition[], few: Few, meter: Meter): Promise<IdSet> {
  const costs = new Map(parts.map(part => [part, costOf(part, few)]))
  const cheapestFirst = parts.toSorted((one, other) => Number(costs.get(one)) - Number(costs.get(other)))
  let left = complement(none)
  const tested: Condition[] = []
  for (const part of cheapestFirst) {
    const costOfTest = left.ids.size * (lookUpCost + part.testCost)
    if (!left.excluded && costOfTest < Number(costs.get(part))) tested.push(part)
    else left = intersect(left, await find(db, part, few, meter))
  }
  return testIds(db, left, tested, meter)
}

/** Returns the cost of finding the matches of a condition, now that some are found. */
function costOf(condition: Condition, few: Few): number {
  if (few.has(condition)) return 0
  if (condition.kind === 'not') return costOf(condition.part, few)
  if (condition.kind === 'scan' || condition.kind === 'index') return condition.cost
  return condition.parts.reduce((sum, part) => sum + costOf(part, few), 0)
}

/** Returns those of the ids whose templates pass all tests. */
async function testIds(db: Db, left: IdSet, tested: Condition[], meter: Meter): Promise<IdSet> {
  if (left.ids.size === 0 || tested.length === 0) return left
  const isOneOf = engineOf(db).isOneOf(sql.ref('product_template.id'), Int32Array.from(left.ids))
  const test = expressionBuilder().and(tested.map(({ test }) => test))
  const cost = tested.reduce((sum, { testCost }) => sum + testCost, lookUpCost) * left.ids.size
  return listIds(db, sql`select id from product_template where ${isOneOf} and ${test}`, cost, meter)
}

/** Lists all ids that a query selects. */
async function listIds(db: Db, query: RawBuilder<number>, cost: number, meter: Meter): Promise<IdSet> {
  const [row] = await run(db, engineOf(db).collectIds(query), cost, meter)
  return { ids: new Set(JSON.parse(row?.ids ?? '[]') as number[]), excluded: false }
}

/** Returns the matches as ids, those of all other templates if the set excludes some. */
export async function toIds(db: Db, matches: IdSet, cost: number, meter: Meter): Promise<Int32Array> {
  if (!matches.excluded) return Int32Array.from(matches.ids)
  const all = await listIds(db, sql`select id from product_template`, cost, meter)
  return Int32Array.from(intersect(all, matches).ids)
}

/** Returns the templates that are in both sets. */
export function intersect(one: IdSet, other: IdSet): IdSet {
  if (one.excluded && other.excluded) return { ids: one.ids.union(other.ids), excluded: true }
  if (one.excluded) return { ids: other.ids.difference(one.ids), excluded: false }
  if (other.excluded) return { ids: one.ids.difference(other.ids), excluded: false }
  return { ids: one.ids.intersection(other.ids), excluded: false }
}

/** Returns the templates that are in at least one of the sets. */
export const unite = (one: IdSet, other: IdSet): IdSet =>
  complement(intersect(complement(one), complement(other)))

/** Returns the templates that are not in the set. */
export const complement = ({ ids, excluded }: IdSet): IdSet => ({ ids, excluded: !excluded })
