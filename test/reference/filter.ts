import type { ProductTemplate } from '../../domain/columns.ts'
import { tryParseJson } from '../../runtime/json-values.ts'
import { dateIn, numberIn } from './facets.ts'

/**
 * What `where` means, in the plainest words: over templates in memory, without an index. The tests ask both
 * engines the same questions, and this.
 */

// biome-ignore lint/suspicious/noExplicitAny: as it comes from a test, as the variables of a query
export type Where = Record<string, any>

export function matches(template: ProductTemplate, where: Where): boolean {
  return Object.entries(where).every(([name, value]) => {
    if (value === null) return true
    switch (name) {
      case 'and':
        return value.every((each: Where) => matches(template, each))
      case 'or':
        return value.some((each: Where) => matches(template, each))
      case 'not':
        return !matches(template, value)
      case 'search':
        return searchFinds(template, value)
      case 'trait':
        return hasTrait(template, value)
      case 'productId':
        return compares(productIdOf(template), value)
      default:
        return compares(template[name as keyof ProductTemplate], value)
    }
  })
}

const tests: Record<string, (value: never, given: never) => boolean> = {
  equals: (value, given) => value === given,
  in: (value, given: unknown[]) => given.includes(value),
  gt: (value, given) => value > given,
  gte: (value, given) => value >= given,
  lt: (value, given) => value < given,
  lte: (value, given) => value <= given,
  contains: (value: string, given: string) => value.toLowerCase().includes(given.toLowerCase()),
  startsWith: (value: string, given: string) => value.toLowerCase().startsWith(given.toLowerCase())
}

const compares = (value: unknown, given: Where): boolean =>
  Object.entries(given).every(
    ([name, wanted]) => wanted === null || tests[name]?.(value as never, wanted as never)
  )

function productIdOf({ data }: ProductTemplate): string | undefined {
  const { productId } = (tryParseJson(data) ?? {}) as { productId?: unknown }
  return typeof productId === 'string' || Number.isSafeInteger(productId) ? String(productId) : undefined
}

interface Entry {
  trait_type?: unknown
  value?: unknown
}

const entriesOf = ({ data }: ProductTemplate): Entry[] => {
  const document = tryParseJson(data) as { attributes?: unknown } | null | undefined
  const attributes = Array.isArray(document?.attributes) ? document.attributes : []
  return attributes.filter((entry: Entry) => typeof entry?.trait_type === 'string')
}

function hasTrait(template: ProductTemplate, { type, exists, date, ...value }: Where): boolean {
  const entries = entriesOf(template).filter(entry => entry.trait_type === type)
  if (exists === false && entries.length > 0) return false
  const hasDates = Object.values(date ?? {}).some(bound => bound !== null)
  const dates = entries.flatMap(({ value }) => value).map(dateIn)
  if (hasDates && !dates.some(found => found !== undefined && compares(found, date))) return false
  const given = Object.entries(value).filter(([name, wanted]) => name === 'equals' || wanted !== null)
  const isBound = ([name]: [string, unknown]) => ['gt', 'gte', 'lt', 'lte'].includes(name)
  const conditions = given.filter(each => !isBound(each))
  const bounds = Object.fromEntries(given.filter(isBound))
  const numbers = entries.flatMap(({ value }) => value).map(one => numberIn(String(one)))
  const isWithin = (number: number | undefined) => number !== undefined && compares(number, bounds)
  if (Object.keys(bounds).length > 0 && !numbers.some(isWithin)) return false
  if (exists !== false && given.length === 0 && !hasDates) return entries.length > 0
  return conditions.every(([name, wanted]) =>
    entries.some(({ value: found }) => {
      if (name === 'equals') return same(found, wanted)
      if (name === 'in') return wanted.some((one: unknown) => same(found, one))
      return Array.isArray(found)
        ? found.includes(wanted)
        : typeof found === 'string' && found.includes(wanted)
    })
  )
}

/** An entry without a value, and one with the value null, equal null. */
const same = (found: unknown, wanted: unknown): boolean =>
  JSON.stringify(found ?? null) === JSON.stringify(wanted ?? null)

const spaceless = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const inRuns = new RegExp(`([${spaceless.map(script => `\\p{scx=${script}}`).join('')}]+)`, 'u')

/** The text with a space between words, also in languages that have none there. */
const spaced = (text: string): string =>
  text
    .normalize('NFKC')
    // The dictionaries have the vowel am of Thai and Lao as one character.
    .replace(/\u0e4d\u0e32/g, 'ำ')
    .replace(/\u0ecd\u0eb2/g, 'ຳ')
    .split(inRuns)
    .flatMap(part =>
      inRuns.test(part) ? ['', ...new Intl.Segmenter('ja', { granularity: 'word' }).segment(part), ''] : part
    )
    .map(part => (typeof part === 'string' ? part : ` ${part.segment} `))
    .join('')

const plain = (text: string): string => spaced(text).normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')

export const words = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** The words of a text, and those that hyphens join as one. */
const wordsAndCompounds = (text: string): string[] => [
  ...words(text),
  ...plain(text)
    .split(/[^\p{L}\p{N}_\u2010-\u2013-]+/u)
    .map(joined => words(joined).join(''))
    .filter(joined => joined.length <= 40 && /\p{L}/u.test(joined))
]

/** The words and compounds of the name, the description and the displayed values of the traits. */
export function wordsOf(template: ProductTemplate): string[] {
  const { description } = (tryParseJson(template.data) ?? {}) as { description?: unknown }
  const shown = entriesOf(template).map(({ value }) =>
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.join(', ')
        : (JSON.stringify(value) ?? '')
  )
  return wordsAndCompounds(
    [template.name, typeof description === 'string' ? description : '', ...shown].join(' ')
  )
}

function searchFinds(template: ProductTemplate, search: string): boolean {
  const found = wordsOf(template)
  // A word of Korean may be a compound, so it is found from each syllable on.
  return words(search).every(word =>
    found.some(one => one.startsWith(word) || (/^[\u1100-\u115f]/.test(word) && one.includes(word)))
  )
}
