import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../schema.ts'
import { type Field, fields, type TemplateFilter } from '../filter/fields.ts'
import { visitCost } from '../meter.ts'

/** A condition of a filter. Costs are estimates, in the unit of {@link Meter}. */
export type Condition = {
  /** The condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Per row. */
  testCost: number
  /** Cost of finding all matches, at most. */
  cost: number
} & (
  | { kind: 'scan' }
  | { kind: 'index'; ids: RawBuilder<number>; listsOneByOne: boolean }
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
)

/** Converts a filter to conditions that must all hold. */
export function toConditions(
  db: Db,
  { and = [], or, not, ...byField }: TemplateFilter,
  templates: number
): Condition[] {
  const inner = (filter: TemplateFilter) => combine('and', toConditions(db, filter, templates), templates)
  return [
    ...Object.entries(byField).flatMap(([name, value]) => planField(db, name, value, templates)),
    ...and.flatMap(each => toConditions(db, each, templates)),
    ...(or ? [combine('or', or.map(inner), templates)] : []),
    ...(not ? [negate(inner(not))] : [])
  ]
}

function planField(db: Db, name: string, value: unknown, templates: number): Condition[] {
  if (!Object.hasOwn(fields, name)) throw new TypeError(`no field ${name} in the table of filterable fields`)
  const field = fields[name as keyof typeof fields] as Field<unknown>
  return field.split(value).map(part => {
    // `exists: false` is the complement of the templates that have the trait.
    const { exists } = part as { exists?: boolean }
    if (exists !== false) return planPart(db, field, part, templates)
    return negate(planPart(db, field, { ...(part as object), exists: true }, templates))
  })
}

function planPart(db: Db, field: Field<unknown>, part: unknown, templates: number): Condition {
  const test = field.test(db, part)
  const testCost = field.testCost(part)
  const ids = field.find(db, part, test)
  if (!ids) return scan(test, testCost, templates)
  const cost = templates * field.findCost(part)
  return { kind: 'index', test, testCost, cost, ids, listsOneByOne: field.listsOneByOne(part) }
}

const scan = (test: Expression<SqlBool>, testCost: number, templates: number): Condition => ({
  kind: 'scan',
  test,
  testCost,
  cost: templates * (visitCost + testCost)
})

/** Combines conditions. Those without an index become one, so that the templates are read once for them. */
export function combine(kind: 'and' | 'or', conditions: Condition[], templates: number): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  const test = expressionBuilder()[kind](conditions.map(({ test }) => test))
  const testCost = sum(conditions.map(({ testCost }) => testCost))
  const scanned = conditions.filter(condition => condition.kind === 'scan')
  if (scanned.length === conditions.length) return scan(test, testCost, templates)
  const others = conditions.filter(condition => condition.kind !== 'scan')
  const parts = scanned.length === 0 ? others : [...others, combine(kind, scanned, templates)]
  return { kind, parts, test, testCost, cost: sum(parts.map(({ cost }) => cost)) }
}

function negate(part: Condition): Condition {
  const { testCost, cost } = part
  // A condition that is NULL for a row counts as false, so its negation is true.
  const test = sql<SqlBool>`not coalesce(${part.test}, ${sql`1 = 0`})`
  return part.kind === 'scan' ? { ...part, test } : { kind: 'not', part, test, testCost, cost }
}

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0)
