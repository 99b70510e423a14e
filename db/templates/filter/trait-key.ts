import { createHash } from 'node:crypto'
import { kinds, longestText } from '../../dialects/trait-entries.ts'
import { typeOf, type ValueType } from '../table/document.ts'

/** Makes the key of a value: equal values have equal keys. It includes the type, so 7 and "7" differ. */
export function valueKey(value: unknown): string {
  const kind = kinds[typeOf(value)]
  const text = typeof value === 'string' ? storable(value) : (JSON.stringify(value) ?? '')
  // A list is found by its elements, and never shown as a whole.
  return kind + (kind === kinds.ARRAY ? bounded(text) : text)
}

/** Makes the key of an element of a list. */
export const elementKey = (element: string): string => kinds.ELEMENT + storable(element)

/** Returns the kind of value of a key; its text is the rest of the key. */
export function kindOfKey(key: string): ValueType | 'ELEMENT' {
  const [kind = 'OTHER'] = Object.entries(kinds).find(([, letter]) => letter === key[0]?.toUpperCase()) ?? []
  return kind as ValueType | 'ELEMENT'
}

/** Returns the name of a trait as it is indexed. */
export const typeKey = (traitType: string): string => bounded(traitType)

/**
 * Returns the indexed names that the name in a filter may stand for; the first one that exists counts. Facets show long
 * names truncated, and a trait may have such a truncated name as its own.
 */
export const typeKeys = (given: string): string[] =>
  isBounded.test(given) ? [bounded(given), given] : [bounded(given)]

/** Truncates a text to fit into an index; a hash tells it from others with the same beginning. */
function bounded(text: string): string {
  const stored = storable(text)
  if (stored.length <= longestText) return stored
  return `${stored.slice(0, longestText).toWellFormed()}…${createHash('sha256').update(stored).digest('hex')}`
}

const isBounded = new RegExp(`^.{${longestText}}…[0-9a-f]{64}$`, 's')

/** Replaces U+0000, which PostgreSQL cannot store, and lone surrogates, which no engine can; in filters too. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()
