/** The meaning of a filter for contents in memory, such as a past revision, which no index has. */
import { sql } from 'kysely'
import type { Bounds, IndexEntry } from '../../dialects/interface.ts'
import { kinds, shownKinds } from '../../dialects/trait-kinds.ts'
import type { Db } from '../../schema.ts'
import { type FieldConditions, listTraits, type TemplateFilter } from '../filter/fields.ts'
import { foldedName, productIdTerm, searchTerms, storable, typeKeys } from '../filter/keys.ts'
import {
  type Comparison,
  keysOf,
  type NameFilter,
  type NoOthers,
  type TextFilter,
  type TraitFilter
} from '../filter/sql.ts'
import { toIndexEntry } from '../index/entries.ts'
import type { FieldName, ProductTemplate } from '../table/columns.ts'

/** A template, its entry as the index would have it, and trait names that the store knows. */
interface Contents {
  template: ProductTemplate
  readonly entry: IndexEntry
  known: ReadonlySet<string>
}

/** Whether a template matches a filter, exactly as a search for it would find it. `known` is from {@link findKnownNames}. */
export function matchesFilter(
  filter: TemplateFilter,
  template: ProductTemplate,
  known: ReadonlySet<string> = new Set()
): boolean {
  let entry: IndexEntry | undefined
  const contents = {
    template,
    known,
    get entry() {
      entry ??= toIndexEntry(template)
      return entry
    }
  }
  return matches(contents, filter)
}

const matches = (contents: Contents, { and = [], or, not, ...byField }: TemplateFilter): boolean =>
  Object.entries(byField).every(([name, value]) =>
    Object.hasOwn(tests, name)
      ? tests[name as keyof typeof tests](contents, value as never)
      : compares(contents.template[name as FieldName], value as Comparison<unknown>)
  ) &&
  and.every(each => matches(contents, each)) &&
  (or === undefined || or.some(each => matches(contents, each))) &&
  !(not !== undefined && matches(contents, not))

/**
 * Finds the names of traits in a filter that the store knows. A truncated name may stand for two stored names, and the first
 * counts only if the store knows it.
 */
export async function findKnownNames(db: Db, filter: TemplateFilter): Promise<Set<string>> {
  const names = listTraits(filter).flatMap(({ type }) => typeKeys(type).slice(0, -1))
  if (names.length === 0) return new Set()
  const { rows } = await sql<{ type: string }>`
    select type from product_trait_type where type in (${sql.join(names)})`.execute(db)
  return new Set(rows.map(({ type }) => type))
}

type Test<Value> = (contents: Contents, value: Value) => boolean

/** The conditions that are more than a comparison of the field of a template with the same name. */
const tests: {
  [Name in Exclude<keyof FieldConditions, FieldName> | 'name']: Test<NonNullable<FieldConditions[Name]>>
} = {
  name: ({ template: { name } }, value) => matchesName(name, value),
  productId: ({ entry }, value) => hasProductId(entry.terms, value),
  trait: ({ entry, known }, value) => hasTrait(entry.traits, value, known),
  search: ({ entry: { terms } }, value) =>
    searchTerms(value).every(word => terms.some(term => term.startsWith(word)))
}

const operators = {
  equals: (one: never, other: never) => one === other,
  gt: (one: never, other: never) => one > other,
  gte: (one: never, other: never) => one >= other,
  lt: (one: never, other: never) => one < other,
  lte: (one: never, other: never) => one <= other
} satisfies Record<Exclude<keyof Comparison<unknown>, 'in'>, unknown>

const stored = (value: unknown): unknown => (typeof value === 'string' ? storable(value) : value)

const compares = <T>(value: T, { in: list, ...bounds }: Comparison<T>): boolean =>
  Object.entries(bounds).every(([name, bound]) =>
    operators[name as keyof typeof operators](value as never, stored(bound) as never)
  ) &&
  (list === undefined || list.map(stored).includes(value))

const matchesName = (name: string, { contains, startsWith, ...exact }: NameFilter): boolean =>
  compares(name, exact) &&
  (contains === undefined || foldedName(name).includes(foldedName(contains))) &&
  (startsWith === undefined || foldedName(name).startsWith(foldedName(startsWith)))

function hasProductId(terms: string[], { equals, in: list, ...others }: TextFilter): boolean {
  others satisfies NoOthers
  const hasOne = (ids: string[]) => ids.some(id => terms.includes(productIdTerm(id)))
  return (equals === undefined || hasOne([equals])) && (list === undefined || hasOne(list))
}

function hasTrait(entries: IndexEntry['traits'], filter: TraitFilter, known: ReadonlySet<string>): boolean {
  const { type, equals, in: list, contains, bounds, exists, ...others } = filter
  others satisfies NoOthers
  // Computed once, because there may be many entries and many conditions.
  const [first, second] = typeKeys(type) as [string, string?]
  const storedName = second === undefined || known.has(first) ? first : second
  const part = storable(contains ?? '')
  const ofType = entries.filter(entry => entry.type === storedName).map(({ key }) => key)
  const hasOne = (values: unknown[]) => keysOf(values).some(key => ofType.includes(key))
  return (
    (equals === undefined || hasOne([equals])) &&
    (list === undefined || hasOne(list)) &&
    (contains === undefined || ofType.some(key => hasPart(key, part))) &&
    (bounds === undefined || ofType.some(key => hasNumberWithin(key, bounds))) &&
    (exists ?? true) === ofType.length > 0
  )
}

const hasPart = (key: string, part: string): boolean =>
  key === kinds.ELEMENT + part || (key.startsWith(kinds.STRING) && key.slice(1).includes(part))

/** A number is a text of at most 15 characters with a point, or with a comma before one or two decimals. */
const isNumber = /^(?=.{1,15}$)-?\d+(\.\d+|,\d{1,2})?$/

function hasNumberWithin(key: string, bounds: Bounds): boolean {
  const text = key.slice(1)
  const isShown = shownKinds.some(kind => key.startsWith(kind))
  return isShown && isNumber.test(text) && compares(Number(text.replace(',', '.')), bounds)
}
