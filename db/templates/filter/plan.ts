/**
 * How a filter becomes a page: `toFilter()` (input.ts) converts `where` to a filter. `planFilter()` converts the filter to
 * conditions with their SQL (fields.ts). `findPage()` (read/page.ts) then reads by the plan, in the operation's snapshot
 * (read/snapshot.ts).
 */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { listCost, lookUpCost, maxFewTemplates, visitCost } from '../costs.ts'
import { countEntries, estimateRows, type Meter, rememberCount, run } from '../meter.ts'
import { type Field, fields, hasKeys, listTraits, type TemplateFilter } from './fields.ts'
import { typeKeys } from './keys.ts'

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
  /** Resolves with the ids of all matches; finds them on the first call. */
  matches(meter: Meter): Promise<Int32Array>
}

/** Plans a filter. The only queries that it runs count what the costs are estimated from. */
export async function planFilter(db: Db, filter: TemplateFilter, meter: Meter): Promise<Plan> {
  const templates = await estimateRows(db, 'product_template')
  const conditions = toConditions(db, filter, await measureDensity(db, filter, templates, meter))
  const { test, testCost, findCost, ids: indexed } = combine('and', conditions)
  const ids = indexed ?? sql`select id from product_template where ${test}`
  const cost = templates * findCost
  let found: Promise<Int32Array> | undefined
  const matches = (meter: Meter) => {
    found ??= findFew(db, conditions, meter).then(few => few ?? listIds(db, ids, cost, meter))
    return found
  }
  const strategy = conditions.length === 0 ? 'all' : indexed ? 'find' : 'walk'
  const canStopEarly = !indexed || conditions.length === 1
  return { strategy, templates, test, testCost, cost, ids, canStopEarly, matches }
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
async function measureDensity(db: Db, filter: TemplateFilter, templates: number, meter: Meter) {
  let density = 1
  const read = listTraits(filter).filter(trait => !fields.trait.split(trait).every(hasKeys))
  for (const type of [...new Set(read.map(({ type }) => type))].slice(0, maxAsked)) {
    const entries = engineOf(db).traits.entriesOf(typeKeys(type))
    const count = await rememberCount(db, `trait ${type}`, () => countEntries(db, entries, meter))
    density = Math.max(density, count / Math.max(1, templates))
  }
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
  const [row = {}] = await run(db, query, asked.length * maxFewTemplates * listCost, meter)
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

/** A condition of a filter. */
interface Condition {
  /** The condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Per row. */
  testCost: number
  /** Selects the ids of all matches from indexes, possibly with duplicates; undefined if no index has them. */
  ids?: RawBuilder<number>
  /** Whether the indexes list ids one by one, so that finding a few takes little time. */
  listsOneByOne: boolean
  /** Cost of finding all matches, per template in the database, at most. */
  findCost: number
}

/** Converts a filter to conditions that must all hold. `density` is from {@link measureDensity}. */
function toConditions(db: Db, filter: TemplateFilter, density: number): Condition[] {
  const { and = [], or, not, ...byField } = filter
  const inner = (filter: TemplateFilter) => combine('and', toConditions(db, filter, density))
  return [
    ...Object.entries(byField).flatMap(([name, value]) => planField(db, name, value, density)),
    ...and.flatMap(each => toConditions(db, each, density)),
    ...(or ? [combine('or', or.map(inner))] : []),
    ...(not ? [negate(inner(not))] : [])
  ]
}

function planField(db: Db, name: string, value: unknown, density: number): Condition[] {
  if (!Object.hasOwn(fields, name)) throw new TypeError(`no field ${name} in the table of filterable fields`)
  const field = fields[name as keyof typeof fields] as Field<unknown>
  return field.split(value).map(part => planPart(db, field, part, density))
}

function planPart(db: Db, field: Field<unknown>, part: unknown, density: number): Condition {
  // `exists: false` is the complement of the templates that have the trait.
  if ((part as { exists?: boolean }).exists === false)
    return negate(planPart(db, field, { ...(part as object), exists: true }, density))
  const test = field.test(db, part)
  const costs = field.costs(part, density)
  const ids = field.find(db, part, test)
  if (!ids) return scan(test, costs.test)
  return { test, testCost: costs.test, ids, listsOneByOne: field.listsOneByOne(part), findCost: costs.find }
}

const scan = (test: Expression<SqlBool>, testCost: number): Condition => ({
  test,
  testCost,
  listsOneByOne: false,
  findCost: Math.max(visitCost, testCost)
})

/** Conditions that are combined at once: SQLite allows 500 queries in one. A filter and a rule may have more. */
const maxCombined = 400

/** Combines conditions. Those without an index become one condition, so that the templates are read only once. */
function combine(kind: 'and' | 'or', conditions: Condition[]): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  if (conditions.length > maxCombined) {
    const [some, others] = [conditions.slice(0, maxCombined), conditions.slice(maxCombined)]
    return combine(kind, [combine(kind, some), combine(kind, others)])
  }
  const test = expressionBuilder()[kind](conditions.map(({ test }) => test))
  const testCost = sum(conditions.map(({ testCost }) => testCost))
  const scanned = conditions.filter(({ ids }) => !ids)
  if (scanned.length === conditions.length) return scan(test, testCost)
  const indexed = conditions.filter(({ ids }) => ids)
  const parts = scanned.length === 0 ? indexed : [...indexed, combine(kind, scanned)]
  return {
    test,
    testCost,
    ids: sql.join(parts.map(selectIds), kind === 'and' ? sql` intersect ` : sql` union all `),
    listsOneByOne: kind === 'or' && parts.every(({ listsOneByOne }) => listsOneByOne),
    findCost: sum(parts.map(({ findCost }) => findCost))
  }
}

function negate(part: Condition): Condition {
  // A condition that is NULL for a row counts as false, so its negation is true.
  const test = sql<SqlBool>`not coalesce(${part.test}, ${sql`1 = 0`})`
  if (!part.ids) return { ...part, test }
  const ids = sql<number>`select id from product_template except ${selectIds(part)}`
  return { ...part, test, ids, listsOneByOne: false, findCost: part.findCost + listCost }
}

/** Selects the ids of all matches, as an operand of `union all`, `intersect` or `except`. */
const selectIds = ({ ids, test }: Condition): RawBuilder<number> =>
  ids ? sql`select * from (${ids}) as part` : sql`select id from product_template where ${test}`

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
