import { isObject, parseObject } from '../../runtime/json-values.ts'
import { displayTypes, readTexts, rewriteLinks, toTrait } from './metadata.ts'

/** Maximum number of keys that are counted by name, and maximum characters of a name. */
const maxNames = 1000
const maxLength = 60
/** Maximum number of keys that a sentence names. */
const maxShown = 20

/** Counts, for each key that metadata does not have, the documents with this key. */
export class DroppedKeys {
  readonly #counts = new Map<string, number>()

  add(data: string): void {
    for (const name of new Set(listDropped(data))) {
      const key = name.length > maxLength ? `${name.slice(0, maxLength)}…` : name
      if (this.#counts.has(key) || this.#counts.size < maxNames)
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    }
  }

  /** Names the keys with their counts, the most frequent first; empty if there is none. */
  describe(): string {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one)
    const shown = sorted.slice(0, maxShown).map(([key, count]) => `${key} (${count})`)
    const others = sorted.length > maxShown ? ` and ${sorted.length - maxShown} others` : ''
    return `${shown.join(', ')}${others}`
  }
}

const rewrite = rewriteLinks(undefined)

/**
 * Lists the keys of a document that its metadata in the format `erc721` does not have, also keys of entries, such as
 * `attributes.note`. Empty values count as absent.
 */
function listDropped(data: string): string[] {
  const document = parseObject(data) ?? {}
  const { attributes } = document
  const entries = Array.isArray(attributes) ? attributes : []
  const texts = readTexts(document, rewrite)
  const isKept = (key: string) => texts[key] !== undefined || (key === 'attributes' && attributes === entries)
  const keys = Object.entries(document).filter(([key, value]) => !isEmpty(value) && !isKept(key))
  return [...keys.map(([key]) => key), ...entries.flatMap(listDroppedOf)]
}

function listDroppedOf(entry: unknown): string[] {
  const trait = toTrait(entry, rewrite)
  if (!isObject(entry) || !trait) return isObject(entry) && isEmpty(entry.value) ? [] : ['attributes']
  const isKept = (key: string, value: unknown) =>
    (key === 'display_type' && displayTypes.includes(value)) ||
    (key === 'max_value' && trait.max_value !== undefined) ||
    key === 'trait_type' ||
    key === 'value'
  return Object.entries(entry)
    .filter(([key, value]) => !isEmpty(value) && !isKept(key, value))
    .map(([key]) => `attributes.${key}`)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
