import { maxInt } from '../../domain/columns.ts'
import { dateIn, isNumber } from '../../domain/document.ts'
import type { TraitFacet as Facet } from '../../packages/client/schema.ts'
import { toNames } from '../../runtime/lists.ts'
import { type Criteria, listTypes, toWhere } from '../gallery/criteria.ts'
import { metaContent } from '../meta.ts'
import { read, readField } from '../requests.ts'

/** A trait and its values. `numbers` is set if most values are numbers. */
export type TraitFacet = Pick<Facet, 'type' | 'values'> & Partial<Facet>

type Values<Value> = { value: Value; count: number }[]

export interface Counts {
  traits: TraitFacet[]
  components: Values<string>
  chains: Values<number>
  public: Values<boolean>
  items: { range: [number, number]; count: number }[]
}

/** The maximum number of values in a facet. */
export const shortList = 5
/** A trait has few values if it has at most this many. */
export const maxFewValues = 12
/** The values that are read of a trait: so many that a few odd ones do not hide what the others are. */
const maxRead = 30
/** The bars of the histogram. */
const ranges: [number, number][] = [
  [1, 1],
  [2, 9],
  [10, 99],
  [100, 999],
  [1000, 9999],
  [10_000, 99_999],
  [100_000, maxInt]
]
const traitsQuery = `query Facets($where: ProductTemplateFilter, $types: [String!], $first: Int) {
  traits(where: $where, types: $types, first: $first) { type values { text value valueType count } }
}`

export const readTraits = (
  where: object | undefined,
  { types, first = maxRead }: { types?: string[]; first?: number },
  signal?: AbortSignal
) => readField<TraitFacet[]>(traitsQuery, { where, types, first }, signal)

/** Counts the values of all facets. The counts of a facet ignore its own filter. */
export async function readCounts(criteria: Criteria, signal: AbortSignal): Promise<Counts> {
  const chosen = new Set(listTypes(criteria))
  const [fields, all, ...own] = await Promise.all([
    readFields(criteria, signal),
    readTraits(toWhere(criteria), {}, signal),
    ...[...chosen].map(type => readTraits(toWhere(criteria, `trait ${type}`), { types: [type] }, signal))
  ])
  const better = new Map(own.flat().map(facet => [facet.type, facet]))
  const found = all.map(facet => better.get(facet.type) ?? facet)
  const missing = [...better.values()].filter(({ type }) => !all.some(facet => facet.type === type))
  const traits = [...found, ...missing].filter(isUseful).sort(byUsefulness)
  return { ...fields, traits: await Promise.all(traits.map(facet => withNumbers(facet, criteria, signal))) }
}

/** Replaces values with a histogram if there are many different numbers. */
async function withNumbers(facet: TraitFacet, criteria: Criteria, signal: AbortSignal): Promise<TraitFacet> {
  const { type } = facet
  if (!(hasMany(facet) && areNumbers(facet)) && !criteria.numbers.some(one => one.type === type)) return facet
  const [found] = await readField<Facet[]>(
    'query Numbers($where: ProductTemplateFilter, $types: [String!]) { traits(where: $where, types: $types, first: 0) { type numbers { from to count } } }',
    { where: toWhere(criteria, `trait ${type}`), types: [type] },
    signal
  )
  return { ...facet, numbers: found?.numbers ?? [] }
}

/** Whether most of the most frequent values are dates. Some may be texts, such as `soon`. */
export function hasDates(facet: TraitFacet): boolean {
  const texts = firstOf(facet).filter(({ text }) => text !== '')
  return texts.filter(({ text }) => dateIn(text) !== undefined).length * 2 > texts.length
}

/** Whether a facet has more values than are listed. */
export const hasMany = ({ values }: TraitFacet): boolean => values.length > shortList

/** Whether at least four of five values are numbers. Some may be mistakes, or words such as `on request`. */
export function areNumbers({ values }: TraitFacet): boolean {
  const texts = values.filter(({ text }) => text !== '')
  return texts.length > 0 && texts.filter(({ text }) => isNumber(text)).length >= 0.8 * texts.length
}

/** Links and long texts differ in each template, so they are useless as filters. */
export const isUseful = ({ values }: TraitFacet): boolean =>
  !values.every(({ text }) => /^(\w+:\/\/|\{ipfs_url\})|.{60}/.test(text) || text === '')

/** Returns the values that judge a trait, the most frequent ones. More values make a trait no better. */
const firstOf = ({ values }: TraitFacet) => values.slice(0, shortList + 1)

/** Words are better filters than numbers, which offer only a range. */
const weights: Record<string, number> = { STRING: 1, ARRAY: 1, BOOLEAN: 1 }
const usefulnessOf = (facet: TraitFacet): number =>
  firstOf(facet).reduce((sum, { text, valueType, count }) => {
    const weight = text === '' ? 0.2 : isNumber(text) ? 0.6 : (weights[valueType] ?? 0.2)
    return sum + count * weight
  }, 0)

/** The facets of `EXPLORER_FILTERS` come first, then the most useful ones. */
const preferredTypes = toNames(metaContent('filters'))
const rankOf = ({ type }: TraitFacet): number => preferredTypes.indexOf(type) + 1 || Number.POSITIVE_INFINITY
export const isPreferred = ({ type }: TraitFacet): boolean => preferredTypes.includes(type)
export const byUsefulness = (a: TraitFacet, b: TraitFacet): number => {
  const [rank, other] = [rankOf(a), rankOf(b)]
  return rank === other ? usefulnessOf(b) - usefulnessOf(a) : rank - other
}

type FieldName = 'components' | 'chains' | 'public'
/** The counts of each field, as the API returns them: of one field each. */
type Fields = { [name in FieldName]: { values: Counts[name] }[] }

async function readFields(criteria: Criteria, signal: AbortSignal): Promise<Omit<Counts, 'traits'>> {
  const others = toWhere(criteria, 'items')
  const steps = ranges.map(([gte, lte]) => ({
    and: [{ maxItems: { gte, lte } }, ...(others ? [others] : [])]
  }))
  const query = `query Fields($component: ProductTemplateFilter, $chain: ProductTemplateFilter,
    $public: ProductTemplateFilter, ${steps.map((_, at) => `$items${at}: ProductTemplateFilter`)}) {
    components: facets(where: $component, fields: [COMPONENT_NAME]) { values { value count } }
    chains: facets(where: $chain, fields: [BLOCKCHAIN_ID]) { values { value count } }
    public: facets(where: $public, fields: [PUBLIC_PRODUCT]) { values { value count } }
    ${steps.map((_, at) => `items${at}: products(first: 1, where: $items${at}) { totalCount }`).join('\n')} }`
  const found = await read<Fields & Record<`items${number}`, { totalCount: number }>>(
    query,
    {
      component: toWhere(criteria, 'component'),
      chain: toWhere(criteria, 'chain'),
      public: toWhere(criteria, 'public'),
      ...Object.fromEntries(steps.map((where, at) => [`items${at}`, where]))
    },
    signal
  )
  return {
    components: found.components[0]?.values ?? [],
    chains: found.chains[0]?.values ?? [],
    public: found.public[0]?.values ?? [],
    items: ranges.map((range, at) => ({ range, count: found[`items${at}`]?.totalCount ?? 0 }))
  }
}
