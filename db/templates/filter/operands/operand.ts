/** An operand of a filter: its allowed values, and the conditions in SQL that it becomes. */
import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ProductTemplate } from '../../../../domain/columns.ts'
import { ArgumentError } from '../../../../runtime/host-errors.ts'
import { isObject, omitNullish } from '../../../../runtime/json-values.ts'
import type { IndexEntry } from '../../../dialects/template-index.ts'
import type { Db } from '../../../schema.ts'

/**
 * A kind of operand: the allowed values of a field of a filter, and their meaning. `check` is for JSON that GraphQL has
 * not checked; `read` converts it; `plan` is its meaning in SQL, and `matches` the same meaning in memory.
 */
export interface Operand<Value> {
  /** The input type of the GraphQL schema. */
  input: string
  /** Throws ArgumentError for a value of another type. Null counts as absent, as in GraphQL. */
  check(input: unknown, path: string): void
  /** Throws ArgumentError for a checked value that has no condition, or null instead of one. */
  require(input: unknown, path: string): void
  /** Throws ArgumentError for a text that is no time or date. */
  read(input: object): Value
  /** The number of conditions that it counts as, if that is not the number of its values. */
  count?(input: unknown): number
  /** Makes conditions that must all hold. */
  plan(db: Db, value: Value): Condition[]
  /** Whether contents in memory match, exactly as a search for them would find them. */
  matches(contents: Contents, value: Value): boolean
  accessPath: AccessPath
}

/**
 * How the matches of an operand are found: each row is tested, the index of a column lists them, or the index of
 * templates does, with the columns that it derives. Only the last one needs that index to be complete.
 */
export type AccessPath = 'scan' | 'columnIndex' | 'templateIndex'

/** A template, and its entry as the index would have it. */
export interface Contents {
  template: ProductTemplate
  readonly entry: IndexEntry
}

/** An operator that is tested, and found in an index, independently of the others. */
interface Operator<Value> {
  check: Check
  plan(db: Db, value: Value): Condition[]
  matches(contents: Contents, value: Value): boolean
}

/** Makes an operand from the table of its operators, all of which must hold. */
export function makeOperand<Value extends object>(
  input: string,
  operators: { [Name in keyof Required<Value>]: Operator<Required<Value>[Name]> }
): Operand<Value> {
  const all = Object.entries(operators) as [keyof Value & string, Operator<unknown>][]
  return {
    input,
    check: checkOperators(Object.fromEntries(all.map(([name, { check }]) => [name, check]))),
    require: requireOperators,
    read: value => omitNullish(value) as Value,
    plan: (db, value) => all.flatMap(([name, { plan }]) => (name in value ? plan(db, value[name]) : [])),
    matches: (contents, value) =>
      all.every(([name, { matches }]) => !(name in value) || matches(contents, value[name])),
    accessPath: 'templateIndex'
  }
}

export type Check = (value: unknown) => boolean

export const isText: Check = value => typeof value === 'string'
export const isBoolean: Check = value => typeof value === 'boolean'
export const isListOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check)

/** Makes the check of an object of operators. */
export const checkOperators = (checks: Record<string, Check>) => (input: unknown, path: string) => {
  for (const [name, value] of Object.entries(readObject(input, path))) {
    if (!Object.hasOwn(checks, name)) throw new ArgumentError(`${path} does not support the operator ${name}`)
    if (!checks[name]?.(value)) throw new ArgumentError(`${path}.${name} has a value of the wrong type`)
  }
}

/** Returns the values of an object in a `where` that are not null. Throws ArgumentError for anything else. */
export function readObject(input: unknown, path: string): Record<string, unknown> {
  if (!isObject(input)) throw new ArgumentError(`${path} must be an object`)
  return omitNullish(input)
}

/** Operators with a text that other texts contain. All texts contain the empty one. */
const partOperators = ['contains', 'startsWith']

/** Throws ArgumentError if there are no operators, or if one is null or has an empty part of a text. */
export function requireOperators(input: unknown, path: string): void {
  for (const [name, value] of requireEntries(input, path))
    if (value === '' && partOperators.includes(name))
      throw new ArgumentError(`${path}.${name} must not be empty`)
}

/** Lists the values of an object. Throws ArgumentError if it has none, or one that is null. */
export function requireEntries(input: unknown, path: string): [name: string, value: unknown][] {
  const entries = Object.entries(input as object)
  if (entries.length === 0) throw new ArgumentError(`${path} must have a condition`)
  for (const [name, value] of entries) {
    if (value === null) throw new ArgumentError(`${path}.${name} must not be null`)
    if (value === undefined) throw new ArgumentError(`${path}.${name} has a value of the wrong type`)
  }
  return entries
}

export interface Condition {
  /** The condition on a row of `product_template`. */
  test: Expression<SqlBool>
  /** Look-ups of an index that take as long as testing a row. An estimate, by which ways of reading are compared. */
  lookUpsPerRow: number
  /** Selects the ids of all matches from indexes, possibly with duplicates; undefined if no index has them. */
  ids?: RawBuilder<number>
  /** Whether reading only the first few of `ids` takes little time. False without `ids`. */
  canStopEarly: boolean
}

/** Look-ups that take as long as comparing a column. */
const comparison = 1 / 30

/** Makes a condition on columns that no index has. */
export const scan = (test: Expression<SqlBool>): Condition => ({
  test,
  lookUpsPerRow: comparison,
  canStopEarly: false
})

/** Makes a condition on a column that has an index, which lists the matches. */
export const seek = (test: Expression<SqlBool>): Condition => ({
  test,
  lookUpsPerRow: comparison,
  ids: sql`select id from product_template where ${test}`,
  canStopEarly: true
})

const eb = expressionBuilder()

/** Conditions that are combined at once: SQLite allows 500 queries in one. A filter and a rule may have more. */
const maxCombined = 400

/** Combines conditions. Those without an index become one condition, so that the templates are read only once. */
export function combine(kind: 'and' | 'or', conditions: Condition[]): Condition {
  if (conditions.length === 1) return conditions[0] as Condition
  if (conditions.length > maxCombined) {
    const [some, others] = [conditions.slice(0, maxCombined), conditions.slice(maxCombined)]
    return combine(kind, [combine(kind, some), combine(kind, others)])
  }
  const test = eb[kind](conditions.map(({ test }) => test))
  const lookUpsPerRow = conditions.reduce((sum, { lookUpsPerRow }) => sum + lookUpsPerRow, 0)
  const scanned = conditions.filter(({ ids }) => !ids)
  if (scanned.length === conditions.length) return { ...scan(test), lookUpsPerRow }
  const indexed = conditions.filter(({ ids }) => ids)
  const parts = scanned.length === 0 ? indexed : [...indexed, combine(kind, scanned)]
  return {
    test,
    lookUpsPerRow,
    ids: sql.join(parts.map(selectIds), kind === 'and' ? sql` intersect ` : sql` union all `),
    canStopEarly: kind === 'or' && parts.every(({ canStopEarly }) => canStopEarly)
  }
}

export function negate(part: Condition): Condition {
  // A condition that is NULL for a row counts as false, so its negation is true.
  const test = sql<SqlBool>`not coalesce(${part.test}, ${sql`1 = 0`})`
  if (!part.ids) return { ...part, test }
  const ids = sql<number>`select id from product_template except ${selectIds(part)}`
  return { ...part, test, ids, canStopEarly: false }
}

/** Selects the ids of all matches, as an operand of `union all`, `intersect` or `except`. */
const selectIds = ({ ids, test }: Condition): RawBuilder<number> =>
  ids ? sql`select * from (${ids}) as part` : sql`select id from product_template where ${test}`
