/** The keys of texts and values in an index. The engines do not make them, because their rules differ. */
import { hash } from 'node:crypto'
import { type Trait, typeOf, type ValueType } from '../../../domain/document.ts'
import { kinds, maxIndexedTextLength, type TraitEntry } from '../../dialects/template-index.ts'
import type { ProductTemplateTable } from '../../schema.ts'

/** The folded name, for case-insensitive comparison, and its prefix that fits into an index. */
export function nameColumns(name: string): Pick<ProductTemplateTable, 'name_folded' | 'name_key'> {
  const name_folded = foldName(name)
  return { name_folded, name_key: nameKey(name_folded) }
}

/** Folds a name or a part of one, so that texts that differ only in case are equal. */
export const foldName = (name: string): string =>
  toStorable(lower(streamSafe(name).normalize('NFC')).replaceAll('i\u0307', 'i'))

/** Code points of a name that are compared for its order. */
const nameKeyLength = 100
const lastCharacter = '\u{10FFFF}'

export const nameKey = (foldedName: string): string => [...foldedName].slice(0, nameKeyLength).join('')

/** Returns the last key in the order that begins like this one. */
export const lastNameKey = (key: string): string => nameKey(key + lastCharacter.repeat(nameKeyLength))

/** Makes the key of a value: equal values have equal keys. It includes the type, so 7 and "7" differ. */
export function valueKey(value: unknown): string {
  const kind = kinds[typeOf(value)]
  const text = typeof value === 'string' ? toStorable(value) : (JSON.stringify(value) ?? '')
  // A list is found by its elements. It is never shown as a whole.
  return kind + (kind === kinds.ARRAY ? truncate(text) : text)
}

/** Makes the key of an element of a list. */
const elementKey = (element: string): string => kinds.ELEMENT + toStorable(element)

/** Makes the index entries of traits: one for each value, and one for each distinct element of a list. */
export function toTraitEntries(attributes: Trait[]): TraitEntry[] {
  const entries: TraitEntry[] = []
  const types = new Set<string>()
  for (const { traitType, value, valueType } of attributes) {
    const type = typeKey(traitType)
    types.add(type)
    entries.push({ type, key: valueKey(value) })
    if (valueType === 'ARRAY')
      for (const key of new Set((value as string[]).map(elementKey))) entries.push({ type, key })
  }
  return types.size === attributes.length ? entries : withoutDuplicates(entries)
}

/** A trait that occurs twice may have the same value twice. */
function withoutDuplicates(entries: TraitEntry[]): TraitEntry[] {
  const byType = Map.groupBy(entries, ({ type }) => type)
  return [...byType].flatMap(([type, ofType]) =>
    Array.from(new Set(ofType.map(({ key }) => key)), key => ({ type, key }))
  )
}

/** Returns the kind of value of a key; its text is the rest of the key. */
export function kindOfKey(key: string): ValueType | 'ELEMENT' {
  const [kind = 'OTHER'] = Object.entries(kinds).find(([, letter]) => letter === key[0]?.toUpperCase()) ?? []
  return kind as ValueType | 'ELEMENT'
}

/**
 * Returns the name of a trait as it is indexed. Facets show long names truncated, so a filter may have that form, which
 * stays as it is.
 */
export const typeKey = (traitType: string): string =>
  truncatedForm.test(traitType) ? toStorable(traitType) : truncate(traitType)

/** Truncates a text to fit into an index; a hash tells it from others with the same beginning. */
function truncate(text: string): string {
  const stored = toStorable(text)
  if (stored.length <= maxIndexedTextLength) return stored
  return `${stored.slice(0, maxIndexedTextLength).toWellFormed()}…${hash('sha256', stored)}`
}

const truncatedForm = new RegExp(`^.{${maxIndexedTextLength}}…[0-9a-f]{64}$`, 's')

/** Replaces U+0000, which PostgreSQL cannot store, and lone surrogates, which no engine can; in filters too. */
export const toStorable = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** Characters of a term. Longer terms are truncated. */
const maxTermLength = 40
/** Distinct terms indexed per template. */
const maxTerms = 5000

/** The terms of a template: words of its texts, ends of Korean words, and compounds such as OUT-1003. */
export function indexTerms(...texts: string[]): string[] {
  const text = plainText(texts)
  const words = wordsOf(text)
  return [...new Set([...words, ...words.flatMap(laterSyllables), ...compoundsOf(text)])].slice(0, maxTerms)
}

/** Splits texts into search terms: words of letters and digits, without case and accents. */
export const searchTerms = (...texts: string[]): string[] => wordsOf(plainText(texts))

/** Removes case and accents from texts, and puts spaces between the words of scripts that have none. */
function plainText(texts: string[]): string {
  const text = separateWords(streamSafe(lower(texts.join(' '))))
  return lower(text.normalize('NFKD')).replace(/\p{M}+/gu, '')
}

function wordsOf(plain: string): string[] {
  const words = new Set<string>()
  for (const word of plain.match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (words.size === maxTerms) break
    words.add(word.length > maxTermLength ? [...word].slice(0, maxTermLength).join('') : word)
  }
  return [...words]
}

/** Lists words that hyphens and underscores join, as one word each. A number alone, such as a date, is not listed. */
const compoundsOf = (plain: string): string[] =>
  (plain.match(/[\p{L}\p{N}_\u2010-\u2013-]+/gu) ?? [])
    .map(words => words.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter(term => term.length <= maxTermLength && /\p{L}/u.test(term))

/**
 * Makes the search term of a product id. The term begins and ends with `№`. No word has that character, so the term
 * never matches a word. A number has the term of its text.
 */
export function productIdTerm(productId: string | number): string {
  const text = String(productId)
  return `№${/^\d{0,40}$/.test(text) ? text : hash('sha256', toStorable(text))}№`
}

/** Lower-cases a text; a final sigma becomes an ordinary one, so that parts of a text match. */
const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/**
 * Converts a text to Stream-Safe Text Format, UAX #15 §13. Normalization takes time quadratic in the length of a run of
 * combining marks; no real text has more than 30 in a run.
 */
const streamSafe = (text: string): string => text.replace(/\p{M}{30}/gu, '$&\u034f')

/** Runs of scripts that are written without spaces between words, or next to Latin letters. */
const unspaced =
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu

/** The language is fixed, because the default depends on the machine. All languages have the same dictionaries. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Composes letters: NFKC decomposes the vowel am of Thai and Lao, which the dictionaries then do not know. */
const composed = (text: string): string =>
  text.normalize('NFKC').replaceAll('\u0e4d\u0e32', '\u0e33').replaceAll('\u0ecd\u0eb2', '\u0eb3')

/** Puts spaces around the words of scripts that are written without them, by the dictionaries of ICU. */
function separateWords(text: string): string {
  const runs = [...new Set(text.match(unspaced))]
  if (runs.length === 0) return text
  let words = ''
  // Splits all different runs in one call, because a call takes longer than a short run.
  for (const { segment } of segmenter.segment(composed(runs.join('\n'))))
    words += segment === '\n' ? segment : ` ${segment} `
  const separated = words.split('\n')
  const byRun = new Map(runs.map((run, index) => [run, separated[index] as string]))
  return text.replace(unspaced, run => byRun.get(run) as string)
}

/**
 * Returns the ends of a Korean word from each later syllable on. ICU does not split words such as 나무의자, so a search
 * inside them needs these. In a term, a syllable is decomposed: it begins with a leading consonant.
 */
const laterSyllables = (term: string): string[] =>
  Array.from(term.matchAll(/(?<=.)[\u1100-\u115f]/gu), ({ index }) => term.slice(index))
