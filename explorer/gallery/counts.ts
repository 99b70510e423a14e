import { read } from '../asking.ts'
import { maxItems, toWhere, type Wanted } from './wanted.ts'

export interface TraitFacet {
  type: string
  values: { text: string; value: unknown; valueType: string; count: number }[]
}

export interface Counts {
  traits: TraitFacet[]
  components: { name: string; count: number }[]
  public: { yes: number; no: number }
  items: { range: [number, number]; count: number }[]
}

/** Values of a trait beside the gallery. One more is read, to know whether there are more. */
export const shortList = 5
/** Steps of the histogram. */
const ranges: [number, number][] = [
  [1, 1],
  [2, 9],
  [10, 99],
  [100, 999],
  [1000, 9999],
  [10_000, 99_999],
  [100_000, maxItems]
]
/** The API cannot list components: these, and those of the templates that are shown. */
const mostComponents = 6
const knownComponents = ['DefaultProduct', 'TrackingRecord']

const traitsQuery = `query Facets($where: ProductTemplateFilter, $types: [String!], $first: Int) {
  traits(where: $where, types: $types, first: $first) { type values { text value valueType count } }
}`

export const readTraits = async (
  where: object | undefined,
  { types, first = shortList + 1 }: { types?: string[]; first?: number },
  signal?: AbortSignal
): Promise<TraitFacet[]> =>
  (await read<{ traits: TraitFacet[] }>(traitsQuery, { where, types, first }, signal)).traits

/** Counts everything beside the gallery. The own choice of a facet does not count for its values. */
export async function readCounts(wanted: Wanted, seen: string[], signal: AbortSignal): Promise<Counts> {
  const chosen = [...new Set(wanted.traits.map(({ type }) => type))]
  const [columns, all, ...own] = await Promise.all([
    readColumns(wanted, seen, signal),
    readTraits(toWhere(wanted), {}, signal),
    ...chosen.map(type => readTraits(toWhere(wanted, `trait ${type}`), { types: [type] }, signal))
  ])
  const better = new Map(own.flat().map(facet => [facet.type, facet]))
  const traits = all.map(facet => better.get(facet.type) ?? facet)
  const missing = [...better.values()].filter(({ type }) => !all.some(facet => facet.type === type))
  return { ...columns, traits: [...traits, ...missing].filter(isUseful).sort(byUse) }
}

/** Texts that differ in each template are no filter. */
const isUseful = ({ values }: TraitFacet): boolean =>
  !values.every(({ text }) => /^(\w+:\/\/|\{ipfs_url\})|.{60}/.test(text) || text === '')

/** Words say more than numbers, of which most templates have their own. */
const weights: Record<string, number> = { STRING: 1, ARRAY: 1, BOOLEAN: 1 }
const useOf = ({ values }: TraitFacet): number =>
  values.reduce((sum, { text, valueType, count }) => {
    const isWord = text !== '' && !/^\d+$/.test(text)
    return sum + count * (isWord ? (weights[valueType] ?? 0.2) : 0.2)
  }, 0)
const byUse = (a: TraitFacet, b: TraitFacet): number => useOf(b) - useOf(a)

async function readColumns(
  wanted: Wanted,
  seen: string[],
  signal: AbortSignal
): Promise<Omit<Counts, 'traits'>> {
  const names = [...new Set([...wanted.components, ...knownComponents, ...seen])].slice(0, mostComponents)
  const filters: [alias: string, where: object][] = [
    ...names.map((name, at) =>
      withCondition(`c${at}`, wanted, 'component', { componentName: { equals: name } })
    ),
    withCondition('yes', wanted, 'public', { publicProduct: { equals: true } }),
    ...ranges.map(([gte, lte], at) => withCondition(`i${at}`, wanted, 'items', { maxItems: { gte, lte } }))
  ]
  const variables = Object.fromEntries([...filters, ['every', toWhere(wanted, 'public')]])
  const query = `query Columns(${Object.keys(variables).map(name => `$${name}: ProductTemplateFilter`)}) {
    ${Object.keys(variables)
      .map(name => `${name}: products(first: 1, where: $${name}) { totalCount }`)
      .join('\n')} }`
  const found = await read<Record<string, { totalCount: number }>>(query, variables, signal)
  const countOf = (alias: string) => found[alias]?.totalCount ?? 0
  return {
    components: names
      .map((name, at) => ({ name, count: countOf(`c${at}`) }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count),
    public: { yes: countOf('yes'), no: countOf('every') - countOf('yes') },
    items: ranges.map((range, at) => ({ range, count: countOf(`i${at}`) }))
  }
}

const withCondition = (alias: string, wanted: Wanted, facet: string, condition: object): [string, object] => [
  alias,
  { and: [condition, ...(toWhere(wanted, facet) ? [toWhere(wanted, facet)] : [])] }
]
