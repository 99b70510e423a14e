import { formatCount } from '../format.ts'
import { findNotation, readNumber } from '../numbers/number-text.ts'

/** The kinds of values and their labels. */
export const kinds = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  list: 'List',
  absent: 'No value',
  other: 'Other'
}
export type Kind = keyof typeof kinds
/** The kinds that a user may choose. */
export const kindChoices = (Object.entries(kinds) as [Kind, string][]).filter(([kind]) => kind !== 'other')

export function kindOfValue(value: unknown): Kind {
  if (value === undefined) return 'absent'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  // The form shows a list as lines, so an entry with a line break is not possible.
  const isLine = (part: unknown) => typeof part === 'string' && !/[\r\n]/.test(part)
  return Array.isArray(value) && value.every(isLine) ? 'list' : 'other'
}

/** Why a number with decimals, or one that is too small or too large, is refused. */
export const noDecimals = 'must be a whole number; choose Text to keep the decimals'
const greatest = formatCount(Number.MAX_SAFE_INTEGER)
export const outOfRange = `must be from -${greatest} to ${greatest}; choose Text to keep more digits`

/** Converts a value to another kind as far as possible. */
export function convert(value: unknown, kind: Kind): unknown {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  if (kind === 'text') return text
  if (kind === 'number') {
    const reading = readNumber(text, findNotation())
    return 'number' in reading ? reading.number : 0
  }
  if (kind === 'boolean') return text === 'true'
  if (kind === 'list') return text === '' ? [] : text.split(typeof value === 'string' ? '\n' : ', ')
  return undefined
}
