import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { type Field, fields, type TemplateFilter } from '../filter/fields.ts'
import { visitCost } from '../meter.ts'

/** A condition of a filter. Costs are estimates, in the unit of {@link Meter}. */
export interface Condition {
  /** The condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Per row. */
  testCost: number
  /** Selects the ids of all matches from indexes, possibly with duplicates; undefined if no index has them. */
  ids?: RawBuilder<number>
  /** Whether the indexes list ids one by one, so that finding a few takes little time. */
  listsOneByOne: boolean
  /** Cost of finding all matches, at most. */
  cost: number
}

/** Cost of listing the id of a template that an index does not list. */
const listCost = 0.05

/** What the costs are estimated from: the number of templates, and how many values they have of a trait that is read. */
interface Size {
  templates: number
  density: number
}

/** Converts a filter to conditions that must all hold. */
export function toConditions(
  db: Db,
  { and = [], or, not, ...byField }: TemplateFilter,
  size: Size
): Condition[] {
  const { templates } = size
  const inner = (filter: TemplateFilter) => combine('and', toConditions(db, filter, size), templates)
  return [
    ...Object.entries(byField).flatMap(([name, value]) => planField(db, name, value, size)),
    ...and.flatMap(each => toConditions(db, each, size)),
    ...(or ? [combine('or', or.map(inner), templates)] : []),
    ...(not ? [negate(inner(not), templates)] : [])
  ]
}

function planField(db: Db, name: string, value: unknown, size: Size): Condition[] {
  if (!Object.hasOwn(fields, name)) throw new TypeError(`no field ${name} in the table of filterable fields`)
  const field = fields[name as keyof typeof fields] as Field<unknown>
  return field.split(value).map(part => {
    // `exists: false` is the complement of the templates that have the trait.
    const { exists } = part as { exists?: boolean }
    if (exists !== false) return planPart(db, field, part, size)
    return negate(planPart(db, field, { ...(part as object), exists: true }, size), size.templates)
  })
}

function planPart(db: Db, field: Field<unknown>, part: unknown, { templates, density }: Size): Condition {
  const test = field.test(db, part)
  const testCost = field.testCost(part, density)
  const ids = field.find(db, part, test)
  if (!ids) return scan(test, testCost, templates)
  const cost = templates * field.findCost(part, density)
  return { test, testCost, ids, listsOneByOne: field.listsOneByOne(part), cost }
}

const scan = (test: Expression<SqlBool>, testCost: number, templates: number): Condition => ({
  test,
  testCost,
  listsOneByOne: false,
  cost: templates * (visitCost + testCost)
})

/** Conditions that are combined at once: SQLite allows 500 queries in one. A filter and a rule may have more. */
const maxCombined = 400

/** Combines conditions. Those without an index become one, so that the templates are read once for them. */
export function combine(kind: 'and' | 'or', conditions: Condition[], templates: number): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  if (conditions.length > maxCombined) {
    const [some, others] = [conditions.slice(0, maxCombined), conditions.slice(maxCombined)]
    return combine(
      kind,
      [some, others].map(part => combine(kind, part, templates)),
      templates
    )
  }
  const test = expressionBuilder()[kind](conditions.map(({ test }) => test))
  const testCost = sum(conditions.map(({ testCost }) => testCost))
  const scanned = conditions.filter(({ ids }) => !ids)
  if (scanned.length === conditions.length) return scan(test, testCost, templates)
  const indexed = conditions.filter(({ ids }) => ids)
  const parts = scanned.length === 0 ? indexed : [...indexed, combine(kind, scanned, templates)]
  return {
    test,
    testCost,
    ids: sql.join(parts.map(selectIds), kind === 'and' ? sql` intersect ` : sql` union all `),
    listsOneByOne: kind === 'or' && parts.every(({ listsOneByOne }) => listsOneByOne),
    cost: sum(parts.map(({ cost }) => cost))
  }
}

function negate(part: Condition, templates: number): Condition {
  // A condition that is NULL for a row counts as false, so its negation is true.
  const test = sql<SqlBool>`not coalesce(${part.test}, ${sql`1 = 0`})`
  if (!part.ids) return { ...part, test }
  const ids = sql<number>`select id from product_template except ${selectIds(part)}`
  return { ...part, test, ids, listsOneByOne: false, cost: part.cost + templates * listCost }
}

/** Selects the ids of all matches, as an operand of `union all`, `intersect` or `except`. */
const selectIds = ({ ids, test }: Condition): RawBuilder<number> =>
  ids ? sql`select * from (${ids}) as part` : sql`select id from product_template where ${test}`

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
