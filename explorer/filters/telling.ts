/** Which traits tell people most about the templates of a store. Cards, columns and filters begin with them. */
import { loadViewStore } from '../additions.ts'
import { humanName } from '../format.ts'
import { readTotal, total } from '../gallery/items.ts'
import { createSetting } from '../storage.ts'
import {
  areNumbers,
  byUsefulness,
  isPreferred,
  isUseful,
  maxFewValues,
  readTraits,
  type TraitFacet
} from './counts.ts'

/** Trait types. */
interface Telling {
  price: string | undefined
  /** The trait that identifies a product, such as a SKU. */
  key: string | undefined
  /** The most telling of the other traits: they have few values, and almost all templates have them. */
  traits: string[]
  /** Other traits with numbers, such as a weight, by which people sort. What an older page has stored lacks them. */
  numbers?: string[] | undefined
  /** The columns that a publisher has chosen for everybody. The traits above are those among them. */
  columns?: string[] | undefined
}

const maxTraits = 2
const maxNumbers = 3
const maxKeyLength = 40
/**
 * The least share of the templates that have a telling trait, and from which on a trait counts as one that all have.
 */
const leastCoverage = 0.5
const fullCoverage = 0.95

const priceNames = /price|preis|prijs|prix|pre[çc]o|precio|prezzo|\bcena\b|цена/i
const keyNames =
  /^(sku|ean|gtin|upc|isbn|asin|handle|barcode)\b|\b(art(ikel|icle)?|item|product|produkt|bestell|style|model+)[ .-]*(nr|no|num(mer|ber)?|code|id)\b|nummer$|référence|reference/i

/** Chooses the telling traits. Each facet has the most frequent values of a trait. */
function findTelling(facets: TraitFacet[], templates: number): Telling {
  const price = facets.find(facet => isPriceName(facet.type) && hasNumbers(facet))?.type
  const keys = facets.filter(isUnique)
  const key = keys.find(hasKeyName) ?? keys.find(isCode)
  const others = facets
    .filter(facet => facet.type !== price && facet !== key && isUseful(facet))
    .map(facet => ({ facet, coverage: Math.min(1, countWith(facet) / templates) }))
    .filter(
      ({ facet, coverage }) =>
        isPreferred(facet) || (hasFewValues(facet, templates) && coverage >= leastCoverage)
    )
    .sort((one, other) => rank(other) - rank(one) || byUsefulness(one.facet, other.facet))
  const numbers = facets.filter(
    facet =>
      ![price, key?.type].includes(facet.type) && isUseful(facet) && areNumbers(facet) && !hasKeyName(facet)
  )
  return {
    price,
    key: key?.type,
    traits: typesOf(others.map(({ facet }) => facet)).slice(0, maxTraits),
    numbers: typesOf(numbers).slice(0, maxNumbers)
  }
}

const typesOf = (facets: TraitFacet[]): string[] => facets.map(({ type }) => type)

/** Lets the traits among chosen columns tell most, in their order. The price stays one, also without its column. */
function preferColumns({ price, key, numbers }: Telling, columns: string[]): Telling {
  const types = columns.filter(column => column.startsWith('trait.')).map(column => column.slice(6))
  const others = types.filter(type => type !== price && type !== key)
  return {
    price,
    key: types.find(type => type === key),
    traits: others.slice(0, maxTraits),
    numbers,
    columns
  }
}

/** Those of `EXPLORER_FILTERS` come first, then those that all templates have. Words come before numbers. */
const rank = ({ facet, coverage }: { facet: TraitFacet; coverage: number }): number =>
  (isPreferred(facet) ? 4 : 0) + (coverage >= fullCoverage ? 2 : 0) + (hasNumbers(facet) ? 0 : 1)

const hasNumbers = ({ values }: TraitFacet): boolean =>
  values.filter(({ text }) => isAmount(text)).length * 2 > values.length

/** Whether a text is a number, also with a currency or unit. */
export const isAmount = (text: string): boolean => /^([A-Z]{3} )?[^\p{L}\d]*\d[\d.,' ]*\D{0,5}$/u.test(text)

/** Whether a trait may be a price by its name. */
export const isPriceName = (type: string): boolean => priceNames.test(humanName(type))

const countWith = ({ values }: TraitFacet): number =>
  values.reduce((sum, { text, count }) => (text === '' ? sum : sum + count), 0)

/** Values of lists that all templates have tell nothing. */
const hasFewValues = ({ values }: TraitFacet, templates: number): boolean =>
  values.length > 1 && values.length <= maxFewValues && values.some(({ count }) => count < templates)

/** Whether hardly two templates have the same value, also if some numbers were given twice by mistake. */
const isUnique = ({ values }: TraitFacet): boolean => {
  const single = values.filter(({ text, count }) => count === 1 && text.length <= maxKeyLength)
  return values.length > 1 && single.length * 2 > values.length
}

const hasKeyName = ({ type }: TraitFacet): boolean => keyNames.test(humanName(type))

/** Whether the values look like `OUT-1001`. */
const isCode = ({ values }: TraitFacet): boolean =>
  values.every(({ text }) => text === '' || /^(?=.*\d)(?=.*\p{L})[\p{L}\d._/-]+$/u.test(text))

/** The telling traits; the last known ones until they have been read. */
export const telling = createSetting<Telling>('telling', { price: undefined, key: undefined, traits: [] })

let reading: Promise<void> | undefined

/** The traits among which the telling ones were found, with their most frequent values. */
let knownTraits: TraitFacet[] = []

/** Lets the telling traits be found again when they are needed next, because many templates have changed. */
export function forgetTelling(): void {
  reading = undefined
}

/** Finds the telling traits once, or again after a change, a failure or an import into an empty store. */
export function readTelling(isChanged = false): Promise<void> {
  const hasAny = Object.values(telling.value).flat().some(Boolean)
  if (reading && hasAny && !isChanged) return reading
  reading = findInStore().catch(() => {
    reading = undefined
  })
  return reading
}

/** Returns the traits of the store, as they were when the telling ones were found; none if that failed. */
export async function readKnownTraits(): Promise<TraitFacet[]> {
  await readTelling()
  return knownTraits
}

async function findInStore(): Promise<void> {
  const views = loadViewStore?.().then(({ viewStore }) => viewStore.readDefaultColumns())
  const [facets, columns] = await Promise.all([readTraits(undefined, {}), views, readTotal()])
  knownTraits = facets.toSorted(byUsefulness)
  const found = findTelling(knownTraits, total.value ?? 0)
  telling.value = columns ? preferColumns(found, columns) : found
}

/** Returns the keys of the telling columns, in the order in which people look for them. */
export const listTellingColumns = (telling: Telling): string[] =>
  [telling.key, findShownPrice(telling), ...telling.traits]
    .filter(type => type !== undefined)
    .map(type => `trait.${type}`)

/** Returns the price, unless a publisher has chosen columns without it. */
const findShownPrice = ({ price, columns }: Telling): string | undefined =>
  columns?.includes(`trait.${price}`) === false ? undefined : price

/** Sorts facets: the price first, then the telling traits, and last the key, which differs in each template. */
export function sortByTelling(facets: TraitFacet[], telling: Telling): TraitFacet[] {
  const { key, traits } = telling
  const first = [findShownPrice(telling), ...traits]
  const place = (facet: TraitFacet) => {
    if (isPreferred(facet)) return -1
    if (facet.type === key) return first.length + 1
    return first.includes(facet.type) ? first.indexOf(facet.type) : first.length
  }
  return facets.toSorted((one, other) => place(one) - place(other))
}
