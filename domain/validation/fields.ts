/** The checks of single fields. The explorer uses them too, so they run without Node.js. */
import { countCharacters, hasMoreCharacters } from '../../runtime/characters.ts'
import { measureJson } from '../../runtime/json-values.ts'
import { type Column, columns, type FieldName, maxInt } from '../columns.ts'
import { isStorable } from '../text.ts'
import type { Problem } from './problem.ts'

/** The fault of a value. The message begins with the name of the field. */
export type Fault = Pick<Problem, 'code' | 'message'>

/** The words of the messages. The explorer has plainer ones than the API. */
export interface Words {
  integer: string
  boolean: string
  string: string
  formatNumber(number: number): string
}

export const apiWords: Words = {
  integer: 'an integer',
  boolean: 'true or false',
  string: 'a string',
  formatNumber: String
}

/** Maximum levels of objects and lists in a stored document, even without validation: readers may be recursive. */
export const maxLevels = 100

/** Returns the fault of a field's value: it is missing, a database cannot store it, or it is nested too deeply. */
export function checkField(field: FieldName, value: unknown, words: Words): Fault | undefined {
  const column = columns[field]
  if (value === undefined || value === null)
    return column.isOptional ? undefined : { code: 'REQUIRED', message: `${field} is missing` }
  const fault = checks[column.type](value, words, column)
  return fault && { ...fault, message: `${field} ${fault.message}` }
}

type Check = (value: unknown, words: Words, column: Column) => Fault | undefined

const checkText: Check = (value, { string }) => {
  if (typeof value !== 'string') return { code: 'WRONG_TYPE', message: `must be ${string}` }
  return isStorable(value)
    ? undefined
    : { code: 'INVALID_TEXT', message: 'must not contain U+0000 or lone surrogates' }
}

const checkDocument: Check = (value, words, column) =>
  checkText(value, words, column) ??
  (measureJson(value as string).levels > maxLevels
    ? { code: 'TOO_DEEP', message: `has more than ${words.formatNumber(maxLevels)} levels` }
    : undefined)

const checks: Record<Column['type'], Check> = {
  integer(value, { integer, formatNumber }, { minimum = 0 }) {
    const message = `must be ${integer} from ${formatNumber(minimum)} to ${formatNumber(maxInt)}`
    if (!Number.isInteger(value)) return { code: 'WRONG_TYPE', message }
    const fits = (value as number) >= minimum && (value as number) <= maxInt
    return fits ? undefined : { code: 'OUT_OF_RANGE', message }
  },
  boolean: (value, { boolean }) =>
    typeof value === 'boolean' ? undefined : { code: 'WRONG_TYPE', message: `must be ${boolean}` },
  text: checkText,
  time: checkText,
  document: checkDocument
}

/** Checks the length of a text that can be stored. */
export function checkLength(field: FieldName, value: unknown, { formatNumber }: Words): Fault | undefined {
  const { maxLength, isOptional } = columns[field]
  const text = String(value ?? '')
  if (maxLength === undefined) return undefined
  if (text === '' && !isOptional) return { code: 'TOO_SHORT', message: `${field} must not be empty` }
  if (!hasMoreCharacters(text, maxLength)) return undefined
  const [most, found] = [maxLength, countCharacters(text)].map(formatNumber)
  return { code: 'TOO_LARGE', message: `${field} must have at most ${most} characters; it has ${found}` }
}
