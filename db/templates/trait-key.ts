import { createHash } from 'node:crypto'
import { typeOf } from './document.ts'

/** Characters that a key keeps as they are: an index has no room for long ones. */
const longestText = 100

/** What is equal in `equals` has the same key: the type counts, so that 7 and "7" are two values. */
export const valueKey = (value: unknown): string =>
  `${typeOf(value).toLowerCase()}:${bounded(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`

/** The key of one text of a list. */
export const elementKey = (element: string): string => `element:${bounded(element)}`

/** What kind of value a key is of: a type in lower case, or `element`. */
export const typeOfKey = (key: string): string => key.slice(0, key.indexOf(':'))

/** The name of a trait as it is indexed; such a name is its own. */
export const typeKey = (traitType: string): string => (isCut.test(traitType) ? traitType : bounded(traitType))

function bounded(text: string): string {
  const stored = storable(text)
  if (stored.length <= longestText) return stored
  return `${stored.slice(0, longestText).toWellFormed()}…${createHash('sha256').update(stored).digest('hex')}`
}

const isCut = new RegExp(`^.{${longestText}}…[0-9a-f]{64}$`, 's')

/** PostgreSQL has no U+0000 in a text, and no engine half of a surrogate pair: not in what is looked for, either. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
