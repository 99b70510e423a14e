import { isTimestamp } from '../../timestamp.ts'
import { type Column, columns, type FieldName, maxInt } from '../table/columns.ts'
import type { Problem } from './problem.ts'

type Fault = Pick<Problem, 'code' | 'message'>

/** Returns what is wrong with the value of a field: it is missing, or no database could store it. */
export function checkField(field: FieldName, value: unknown): Fault | undefined {
  const column = columns[field]
  if (value === undefined || value === null)
    return column.isGenerated ? undefined : { code: 'REQUIRED', message: `${field} is missing` }
  const fault = checks[column.type](value, column)
  return fault && { ...fault, message: `${field} ${fault.message}` }
}

const checks: Record<Column['type'], (value: unknown, column: Column) => Fault | undefined> = {
  integer(value, { least = 0 }) {
    const message = `must be an integer from ${least} to ${maxInt}`
    if (!Number.isInteger(value)) return { code: 'WRONG_TYPE', message }
    const fits = (value as number) >= least && (value as number) <= maxInt
    return fits ? undefined : { code: 'OUT_OF_RANGE', message }
  },
  boolean: value =>
    typeof value === 'boolean' ? undefined : { code: 'WRONG_TYPE', message: 'must be true or false' },
  time(value) {
    if (typeof value !== 'string' || isTimestamp(value)) return checkText(value)
    return { code: 'INVALID_TEXT', message: 'must be a UTC time such as 2026-01-31T09:30:00.000000Z' }
  },
  text: checkText,
  document: checkText
}

/** PostgreSQL cannot store U+0000, and UTF-8 has no lone surrogates. */
function checkText(value: unknown): Fault | undefined {
  if (typeof value !== 'string') return { code: 'WRONG_TYPE', message: 'must be a string' }
  if (value.isWellFormed() && !value.includes('\0')) return undefined
  return { code: 'INVALID_TEXT', message: 'must not contain U+0000 or lone surrogates' }
}
