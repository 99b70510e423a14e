/** Comparisons of a field with a column of its own. SQLite's covering indexes for the orders include the column. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { columns, type FieldName, isInt } from '../../../../domain/columns.ts'
import { toStoredTime } from '../../../../domain/timestamp.ts'
import { ArgumentError } from '../../../../runtime/host-errors.ts'
import { omitNullish } from '../../../../runtime/json-values.ts'
import type { Database } from '../../../schema.ts'
import { toStorable } from '../keys.ts'
import {
  type AccessPath,
  type Check,
  checkOperators,
  isBoolean,
  isListOf,
  isText,
  type Operand,
  requireOperators,
  scan,
  seek
} from './operand.ts'

/** Conditions on a value; all must hold. */
export interface Comparison<T> {
  equals?: T
  in?: T[]
  gt?: T
  gte?: T
  lt?: T
  lte?: T
}

const operators = {
  equals: { sql: '=', holds: (one: never, other: never) => one === other },
  gt: { sql: '>', holds: (one: never, other: never) => one > other },
  gte: { sql: '>=', holds: (one: never, other: never) => one >= other },
  lt: { sql: '<', holds: (one: never, other: never) => one < other },
  lte: { sql: '<=', holds: (one: never, other: never) => one <= other }
} as const satisfies Record<Exclude<keyof Comparison<unknown>, 'in'>, unknown>

type OperatorName = keyof typeof operators

const toStorableValue = (value: unknown): unknown => (typeof value === 'string' ? toStorable(value) : value)

/** Compares a value in memory. */
export const compares = <T>(value: T, { in: list, ...others }: Comparison<T>): boolean =>
  Object.entries(others).every(([name, other]) =>
    operators[name as OperatorName].holds(value as never, toStorableValue(other) as never)
  ) &&
  (list === undefined || list.map(toStorableValue).includes(value))

const eb = expressionBuilder<Database, 'product_template'>()

function compare(field: FieldName, { in: list, ...others }: Comparison<unknown>): Expression<SqlBool> {
  const { column, type } = columns[field]
  const toStored = (value: unknown) => (type === 'boolean' ? Number(value) : toStorableValue(value))
  const conditions = Object.entries(others).map(([name, value]) =>
    eb(column, operators[name as OperatorName].sql, toStored(value) as never)
  )
  return eb.and(list ? [...conditions, isOneOf(eb.ref(column), list.map(toStored))] : conditions)
}

/** Tests whether a value is in a list. PostgreSQL does not allow `in ()`. */
export const isOneOf = (value: Expression<unknown>, list: unknown[]): Expression<SqlBool> =>
  list.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(list)})`

type ColumnAccess = Exclude<AccessPath, 'templateIndex'>

const makeComparison = <Value extends object>(
  field: FieldName,
  input: string,
  checks: Record<keyof Value, Check>,
  accessPath: ColumnAccess = 'scan',
  read: (input: object) => object = omitNullish
): Operand<Value> => ({
  input,
  check: checkOperators(checks),
  require: requireOperators,
  read: value => read(value) as Value,
  plan(_db, value) {
    const test = compare(field, value)
    return [accessPath === 'scan' ? scan(test) : seek(test)]
  },
  matches: ({ template }, value) => compares<unknown>(template[field], value),
  accessPath
})

export const boundsOf = (check: Check) => ({ gt: check, gte: check, lt: check, lte: check })
const oneOf = (check: Check) => ({ equals: check, in: isListOf(check) })

export function compareIntegers(field: FieldName, accessPath: ColumnAccess = 'scan') {
  const checks = { ...oneOf(isInt), ...boundsOf(isInt) }
  return makeComparison<Comparison<number>>(field, 'IntFilter', checks, accessPath)
}

export const compareTexts = (field: FieldName) =>
  makeComparison<Pick<Comparison<string>, 'equals' | 'in'>>(field, 'StringFilter', oneOf(isText))

export const compareBooleans = (field: FieldName) =>
  makeComparison<{ equals?: boolean }>(field, 'BooleanFilter', { equals: isBoolean })

type Bounds = Omit<Comparison<string>, 'equals' | 'in'>

export const compareTimes = (field: FieldName) =>
  makeComparison<Bounds>(field, 'TimeFilter', boundsOf(isText), 'columnIndex', readTimes)

function readTimes(input: object): Record<string, string> {
  const times = Object.entries(omitNullish(input)).map(([name, text]) => {
    const time = toStoredTime(String(text))
    if (time === undefined) throw new ArgumentError('a time must have the form YYYY-MM-DDTHH:MM:SS.ffffffZ')
    return [name, time]
  })
  return Object.fromEntries(times)
}
