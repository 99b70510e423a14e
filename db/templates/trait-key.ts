import { createHash } from 'node:crypto'
import { typeOf } from './document.ts'

/** Characters; longer texts are truncated to fit into an index. */
const longestText = 100

/** Makes the key of a value: equal values have equal keys. It includes the type, so 7 and "7" differ. */
export const valueKey = (value: unknown): string =>
  `${typeOf(value).toLowerCase()}:${bounded(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`

/** Makes the key of an element of a list. */
export const elementKey = (element: string): string => `element:${bounded(element)}`

/** Returns the kind of value of a key: a type in lower case, or `element`. */
export const typeOfKey = (key: string): string => key.slice(0, key.indexOf(':'))

/** Returns the name of a trait as it is indexed. An already truncated name stays the same. */
export const typeKey = (traitType: string): string => (isCut.test(traitType) ? traitType : bounded(traitType))

function bounded(text: string): string {
  const stored = storable(text)
  if (stored.length <= longestText) return stored
  return `${stored.slice(0, longestText).toWellFormed()}…${createHash('sha256').update(stored).digest('hex')}`
}

const isCut = new RegExp(`^.{${longestText}}…[0-9a-f]{64}$`, 's')

/** Replaces U+0000, which PostgreSQL cannot store, and lone surrogates, which no engine can; in filters too. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
