import { ArgumentError } from '../../../../errors.ts'
import { isObject, present } from '../../../../json-values.ts'
import type { IndexEntry } from '../../../dialects/template-index.ts'
import type { Db } from '../../../schema.ts'
import type { ProductTemplate } from '../../table/columns.ts'
import type { Condition } from '../condition.ts'

/**
 * A kind of operand: what a field of a filter may be given, and all that it means. `check` is for JSON that GraphQL has not
 * checked; `read` converts it; `plan` is its meaning in SQL, and `matches` the same meaning in memory.
 */
export interface Operand<Value> {
  /** The input type of the GraphQL schema. */
  input: string
  /** Throws ArgumentError. */
  check(given: unknown, place: string): void
  /** Throws ArgumentError for a text that is no time. */
  read(given: object): Value
  /** The number of conditions that it counts as, if that is not the number of its values. */
  count?(given: unknown): number
  /** Makes conditions that must all hold. `density`: how many values of a trait a template has. */
  plan(db: Db, value: Value, density: number): Condition[]
  /** Whether contents in memory match, exactly as a search for them would find them. */
  matches(contents: Contents, value: Value): boolean
  /** Whether it depends on the index or on columns derived from the template. */
  isDerived: boolean
}

/** A template, its entry as the index would have it, and trait names that the store knows. */
export interface Contents {
  template: ProductTemplate
  readonly entry: IndexEntry
  known: ReadonlySet<string>
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
    read: given => present(given) as Value,
    plan: (db, value) => all.flatMap(([name, { plan }]) => (name in value ? plan(db, value[name]) : [])),
    matches: (contents, value) =>
      all.every(([name, { matches }]) => !(name in value) || matches(contents, value[name])),
    isDerived: true
  }
}

export type Check = (value: unknown) => boolean

export const isText: Check = value => typeof value === 'string'
export const isBoolean: Check = value => typeof value === 'boolean'
export const isInteger: Check = value => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
export const isListOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check)

/** Makes the check of an object of operators. */
export const checkOperators = (checks: Record<string, Check>) => (given: unknown, place: string) => {
  checkObject(given, place)
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, name))
      throw new ArgumentError(`${place} does not support the operator ${name}`)
    if (!checks[name]?.(value)) throw new ArgumentError(`${place}.${name} has a wrong value`)
  }
}

/** An empty object is a mistake: it would permit everything. */
export function checkObject(given: unknown, place: string): asserts given is Record<string, unknown> {
  if (!isObject(given)) throw new ArgumentError(`${place} must be an object`)
  if (Object.keys(given).length === 0) throw new ArgumentError(`${place} must have a condition`)
}
