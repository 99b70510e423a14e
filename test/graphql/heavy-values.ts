/** Values of arguments that are as heavy as the limits allow, made from the schema itself. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType
} from 'graphql'
import { toCursor } from '../../graphql/relay.ts'
import fc from '../support/generated/fast-check.ts'

/** Conditions in a filter: a little less than the limit. */
const maxValues = 480
/** Levels of filters within filters, and levels that one filter is wrapped in. */
const maxDepth = 2
const maxWraps = 7

/** Numbers that no page has. */
const extremes = () => anyOf(0, -1, -1_000_000_000, -(2 ** 31), 2 ** 31 - 1)

const anyOf = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values)
const longTexts = anyOf('x'.repeat(990), 'İ'.repeat(900), `a${'\u0315'.repeat(490)}${'\u0316'.repeat(490)}`)
/** Words and parts of words of the templates. */
const vocabulary = (
  'amber oak a an er Portugal kelp i Peru basil cedar re Japan coral drift o Kenya fern flint sh maple marble Okapi e ' +
  'moss olive in silk slate Norway tide Óa timber umber India walnut willow ma wool birch'
).split(' ')
const texts = fc.oneof(
  { weight: 9, arbitrary: anyOf(...vocabulary.slice(0, 7), '') },
  { weight: 1, arbitrary: longTexts }
)
const times = anyOf('2025-06-01T00:00:00Z', '2026-01-04T12:00:00.5Z', '2001-01-01T00:00:00Z')
const dates = anyOf('2001-01-01', '2026-01-04')
const searches = anyOf('amber', 'a', 'amber kelp', 'oak i', 'basil an maple a 17', 'é', 'nowhere')
const traitNames = anyOf('MadeIn', 'Warning', 'UnitsProduced', 'FeaturesArray', 'm7', 'nothing')
const cursor = toCursor(
  { field: 'TIME_MODIFIED', direction: 'DESC' },
  { key: '2025-06-01T00:00:00.000000Z', id: 7 }
)

/** Values of arguments and fields of inputs, by name, that are heavier than others of the type. */
const special: Record<string, fc.Arbitrary<unknown>> = {
  'TimeFilter.gt': times,
  'TimeFilter.gte': times,
  'TimeFilter.lt': times,
  'TimeFilter.lte': times,
  ...Object.fromEntries(['gt', 'gte', 'lt', 'lte'].map(name => [`DateFilter.${name}`, dates])),
  'TraitFilter.type': traitNames,
  'ProductTemplateFilter.search': searches,
  'ProductTemplateOrder.trait': traitNames,
  search: anyOf('wlnut', 'walnutжабвгдезийклмнопрст', 'xaml 12x abr cdr qqqqqq'),
  hash: anyOf('0'.repeat(64)),
  revision: anyOf(1, 2),
  from: anyOf(1),
  to: anyOf(1, 2),
  after: anyOf(cursor),
  before: anyOf(cursor),
  first: fc.oneof({ weight: 4, arbitrary: anyOf(1, 10, 100) }, { weight: 1, arbitrary: extremes() }),
  last: fc.oneof({ weight: 4, arbitrary: anyOf(1, 100) }, { weight: 1, arbitrary: extremes() }),
  limit: fc.oneof(
    { weight: 4, arbitrary: anyOf(1, 100, 1000, 100_000) },
    { weight: 1, arbitrary: extremes() }
  ),
  offset: fc.oneof({ weight: 4, arbitrary: anyOf(0, 100, 2500) }, { weight: 1, arbitrary: extremes() })
}

const scalars: Record<string, fc.Arbitrary<unknown>> = {
  ID: anyOf('', 'WyJQcm9kdWN0VGVtcGxhdGUiLDFd', 'WyJQcm9kdWN0UmV2aXNpb24iLDEsMV0'),
  Int: fc.oneof(anyOf(0, 1, 7, 2 ** 31 - 1), fc.integer({ min: -5, max: 12_000 })),
  Float: anyOf(-1, 0, 7.5, 60, 1e15),
  Boolean: fc.boolean(),
  String: texts,
  DocumentValue: fc.oneof(texts, anyOf(7, true, 'Peru', ['red', 'blue'], null))
}

/** Lists whose elements are the same value with small differences, as long as a filter may be. */
const lists = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> =>
  fc.tuple(fc.constantFrom(1, 3, 20, 90, maxValues), item).map(([length, value]) => {
    const most = Math.max(1, Math.floor(maxValues / countValues(value)))
    return Array.from({ length: Math.min(length, most) }, (_, index) => vary(value, index))
  })

const countValues = (value: unknown, name?: string): number => {
  if (typeof value !== 'object' || value === null)
    return name === 'search' ? 10 * String(value).split(' ').length : 1
  return Object.entries(value).reduce((sum: number, [name, each]) => sum + countValues(each, name), 1)
}

/** Makes a similar value, another one for each index. */
export function vary(value: unknown, index: number): unknown {
  if (index === 0 || value === cursor) return value
  if (typeof value === 'number') return value < 2 ** 30 ? value + index : value
  if (typeof value === 'string') return varyText(value, index)
  if (Array.isArray(value)) return value.map(each => vary(each, index))
  if (typeof value !== 'object' || value === null) return value
  // The name of a trait stays as it is.
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'type' ? each : vary(each, index)])
  )
}

/** Another word of the vocabulary, or a longer text. Times and enums stay as they are. */
function varyText(text: string, index: number): string {
  if (/^\d|^[A-Z_]+$/.test(text)) return text
  if (text.includes(' '))
    return text
      .split(' ')
      .map(word => varyText(word, index))
      .join(' ')
  const place = vocabulary.indexOf(text)
  if (place === -1) return text + index
  const round = Math.floor((place + index) / vocabulary.length)
  return `${vocabulary[(place + index) % vocabulary.length]}${round || ''}`
}

export function valuesOf(type: GraphQLInputType, name: string, depth = maxDepth): fc.Arbitrary<unknown> {
  const known = special[name]
  if (known) return known
  if (isNonNullType(type)) return valuesOf(type.ofType, name, depth)
  if (isListType(type)) return lists(valuesOf(type.ofType, '', depth))
  if (isEnumType(type)) return anyOf(...type.getValues().map(({ name }) => name))
  return isInputObjectType(type) ? objects(type, depth) : (scalars[type.name] as fc.Arbitrary<unknown>)
}

/** Objects with a few of the fields, and all that are required. */
function objects(type: GraphQLInputObjectType, depth: number): fc.Arbitrary<unknown> {
  const isFilter = type.name === 'ProductTemplateFilter'
  const fields = Object.values(type.getFields()).map(({ name, type: of }) => {
    const isInner = getNamedType(of) === type
    if (isInner && depth === 0) return undefined
    const given = valuesOf(of, `${type.name}.${name}`, isInner ? depth - 1 : depth)
    return { required: isNonNullType(of), given: given.map(value => ({ [name]: value })) }
  })
  const usable = fields.filter(field => field !== undefined)
  const several = fc.array(fc.oneof(...usable.map(({ given }) => given)), {
    minLength: 1,
    maxLength: 3
  })
  const needed = usable.filter(({ required }) => required).map(({ given }) => given)
  const object = fc
    .tuple(several, ...needed)
    .map(([some, ...more]) => Object.assign({}, ...(some as object[]), ...more))
  if (!isFilter || depth < maxDepth) return object
  return fc
    .tuple(object, fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(maxWraps)))
    .map(([inner, wraps]) => wrap(inner, wraps))
}

const wrap = (inner: unknown, times: number): unknown =>
  times === 0 ? inner : wrap(times % 2 ? { not: inner } : { or: [{ and: [inner] }] }, times - 1)
