import { maxInt } from '../../domain/columns.ts'
import { isDate } from '../../domain/timestamp.ts'
import { readInteger } from '../route.ts'
import { firstOrder, type Order, readOrder } from './orders.ts'

/** The criteria of the gallery, as in its address. */
export interface Criteria {
  search: string
  order: Order
  traits: TraitChoice[]
  /** At most one per trait type. */
  numbers: NumberChoice[]
  /** At most one per trait type. */
  dates: DateChoice[]
  components: string[]
  chains: number[]
  public: boolean | undefined
  /** The bounds of `maxItems`. */
  items: [least: number, greatest: number] | undefined
  /** Undefined for the layout that was chosen last. */
  layout: Layout | undefined
  /** The id of the saved view that is open. */
  saved: string | undefined
}

export type Layout = 'gallery' | 'table'

/** A value of a trait. `element`: the value is an element of a list. */
export interface TraitChoice {
  type: string
  value: unknown
  element: boolean
}

/** A range of the numbers of a trait. A missing bound leaves it open. */
export interface NumberChoice {
  type: string
  from: number | undefined
  to: number | undefined
  /** Whether the range excludes `to`. */
  isBelow: boolean
}

/** A range of the dates of a trait, with both ends. A missing end leaves it open. */
export interface DateChoice {
  type: string
  from: string | undefined
  to: string | undefined
}

/** Reads the criteria from an address. Invalid parameters are ignored. */
export function readCriteria(params: URLSearchParams): Criteria {
  const items = params.get('items')?.match(/^(\d{1,10})-(\d{1,10})$/)
  const visibility = params.get('public')
  const layout = params.get('layout')
  return {
    search: params.get('q') ?? '',
    order: readOrder(params.get('order')),
    traits: [...params].flatMap(([name, text]) => readTrait(name, text)),
    numbers: [...params].flatMap(([name, text]) => readNumbers(name, text)),
    dates: [...params].flatMap(([name, text]) => readDates(name, text)),
    components: params.getAll('component').filter(Boolean),
    chains: params
      .getAll('chain')
      .map(readInteger)
      .filter(chain => chain !== undefined),
    public: visibility === 'yes' ? true : visibility === 'no' ? false : undefined,
    items: items ? [Math.min(maxInt, Number(items[1])), Math.min(maxInt, Number(items[2]))] : undefined,
    layout: layout === 'gallery' || layout === 'table' ? layout : undefined,
    saved: params.get('saved') || undefined
  }
}

function readTrait(name: string, text: string): TraitChoice[] {
  const [, kind, type] = name.match(/^(trait|has)\.(.+)$/s) ?? []
  if (kind === undefined || type === undefined) return []
  try {
    return [{ type, value: JSON.parse(text), element: kind === 'has' }]
  } catch {
    return []
  }
}

/** Reads a range such as `range.Price=4..350`, or `4..<350` without its upper bound. */
function readNumbers(name: string, text: string): NumberChoice[] {
  const [, type] = name.match(/^range\.(.+)$/s) ?? []
  const number = String.raw`(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)?`
  const [, from, below, to] = text.match(RegExp(`^${number}\\.\\.(<?)${number}$`)) ?? []
  // A number that is too large becomes `Infinity`, which is not a bound.
  const end = (given: string | undefined) => (Number.isFinite(Number(given)) ? Number(given) : undefined)
  const range = { from: end(from), to: end(to) }
  if (type === undefined || (range.from === undefined && range.to === undefined)) return []
  return [{ type, ...range, isBelow: below === '<' && range.to !== undefined }]
}

/** Reads a range such as `range.Since=2026-01-31..2026-03-31`. */
function readDates(name: string, text: string): DateChoice[] {
  const [, type] = name.match(/^range\.(.+)$/s) ?? []
  const [from, to] = text.split('..').map(end => (isDate(end) ? end : undefined))
  return type !== undefined && (from ?? to) !== undefined ? [{ type, from, to }] : []
}

/** Writes the criteria as parameters of an address. Defaults are left out. */
export function writeCriteria(criteria: Criteria): URLSearchParams {
  const params = new URLSearchParams()
  if (criteria.search !== '') params.set('q', criteria.search)
  for (const component of criteria.components) params.append('component', component)
  for (const chain of criteria.chains) params.append('chain', String(chain))
  if (criteria.public !== undefined) params.set('public', criteria.public ? 'yes' : 'no')
  if (criteria.items) params.set('items', criteria.items.join('-'))
  for (const { type, value, element } of criteria.traits)
    params.append(`${element ? 'has' : 'trait'}.${type}`, JSON.stringify(value))
  for (const { type, from = '', to = '', isBelow } of criteria.numbers)
    params.append(`range.${type}`, `${from}..${isBelow ? '<' : ''}${to}`)
  for (const { type, from = '', to = '' } of criteria.dates) params.append(`range.${type}`, `${from}..${to}`)
  if (criteria.order !== firstOrder) params.set('order', criteria.order)
  if (criteria.layout) params.set('layout', criteria.layout)
  if (criteria.saved !== undefined) params.set('saved', criteria.saved)
  return params
}

/** The traits that are filtered. */
export const listTypes = ({ traits, numbers, dates }: Criteria): string[] =>
  [...traits, ...numbers, ...dates].map(({ type }) => type)

export const isFiltered = (criteria: Criteria): boolean => toConditions(criteria).length > 0

/**
 * Returns the filter of the API. `except` names a facet whose own filter is ignored, so that its other values get
 * counts.
 */
export function toWhere(criteria: Criteria, except?: string): object | undefined {
  const conditions = toConditions(criteria, except)
  return conditions.length === 0 ? undefined : { and: conditions }
}

function toConditions(
  { search, traits, numbers, dates, components, chains, public: visible, items }: Criteria,
  except?: string
) {
  const conditions: object[] = []
  conditions.push(...toSearchConditions(search.slice(0, 1000)))
  if (components.length > 0 && except !== 'component') conditions.push({ componentName: { in: components } })
  if (chains.length > 0 && except !== 'chain') conditions.push({ blockchainId: { in: chains } })
  if (visible !== undefined && except !== 'public') conditions.push({ publicProduct: { equals: visible } })
  if (items && except !== 'items') conditions.push({ maxItems: { gte: items[0], lte: items[1] } })
  for (const [type, choices] of Map.groupBy(traits, trait => trait.type))
    if (except !== `trait ${type}`) conditions.push({ or: choices.map(toTraitCondition) })
  for (const { type, from, to, isBelow } of numbers)
    if (except !== `trait ${type}`)
      conditions.push({ trait: { type, gte: from, [isBelow ? 'lt' : 'lte']: to } })
  for (const { type, from, to } of dates)
    if (except !== `trait ${type}`) conditions.push({ trait: { type, date: { gte: from, lte: to } } })
  return conditions
}

/**
 * Words that are also found inside a name: `sack` finds a Rucksack. A longer search is a text, not a part of a word.
 */
const maxInnerWords = 5

/** The conditions of a search. No index finds a part of a name with fewer than three letters. */
function toSearchConditions(search: string): object[] {
  if (!/[\p{L}\p{N}]/u.test(search)) return []
  const words = search.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word))
  if (words.length > maxInnerWords) return [{ search }]
  return words.map(word =>
    [...word].length < 3 ? { search: word } : { or: [{ search: word }, { name: { contains: word } }] }
  )
}

const toTraitCondition = ({ type, value, element }: TraitChoice) => ({
  trait: element ? { type, contains: String(value) } : { type, equals: value }
})
