import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Bounds, EntryCondition } from '../../dialects/interface.ts'
import type { Database, Db, ProductTemplateTable } from '../../schema.ts'
import { foldedName, nameKey, productIdTerm, storable, typeKeys, valueKey } from './keys.ts'

/** Conditions on a value; all must hold. */
export interface Comparison<T> {
  equals?: T
  in?: T[]
  gt?: T
  gte?: T
  lt?: T
  lte?: T
}

export interface TextFilter {
  equals?: string
  in?: string[]
}

/**
 * `others satisfies NoOthers` does not compile if a filter has an operator that the function ignores. It would match too
 * many templates, and a rule with it would permit them.
 */
export type NoOthers = Record<string, never>

export interface NameFilter extends TextFilter {
  contains?: string
  startsWith?: string
}

export interface TraitFilter {
  type: string
  /** null: the value is absent or null. */
  equals?: unknown
  in?: unknown[]
  /** A part of a string value, or an element of a list. */
  contains?: string
  /** Of a number, also in text. */
  bounds?: Bounds
  /** false: the document does not have the trait. */
  exists?: boolean
}

type Test = Expression<SqlBool>

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=', equals: '=' } as const

/** Compares a column with bounds and a list. */
export function compare(
  name: keyof ProductTemplateTable,
  { in: list, ...bounds }: { in?: unknown[] } & object
): Test {
  const eb = expressionBuilder<Database, 'product_template'>()
  const conditions = Object.entries(bounds).map(([operator, value]) =>
    eb(name, operators[operator as keyof typeof operators], stored(value) as never)
  )
  return eb.and(list ? [...conditions, isOneOf(eb.ref(name), list.map(stored))] : conditions)
}

function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? storable(value) : value
}

/** Tests whether a value is in a list. PostgreSQL does not allow `in ()`. */
const isOneOf = (value: Expression<unknown>, list: unknown[]): Test =>
  list.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(list)})`

/** Selects the ids from the index of the column that is tested. */
export const findByTest = (_db: Db, _value: unknown, test: Test): RawBuilder<number> =>
  sql`select id from product_template where ${test}`

/** The index has the first 100 characters of the folded name; the condition on the whole name decides. */
export function testName(db: Db, { contains, startsWith, equals, in: list, ...others }: NameFilter): Test {
  others satisfies NoOthers
  const eb = expressionBuilder<Database, 'product_template'>()
  const conditions = [equals === undefined ? undefined : [equals], list].flatMap(names =>
    names === undefined ? [] : [hasKeyOf(names), isOneOf(eb.ref('name'), names.map(storable))]
  )
  if (contains !== undefined)
    conditions.push(engineOf(db).syntax.isIn(foldedName(contains), eb.ref('name_folded')))
  if (startsWith) conditions.push(...startingWith(foldedName(startsWith)))
  return eb.and(conditions)
}

const hasKeyOf = (names: string[]): Test =>
  isOneOf(
    sql.ref('name_key'),
    names.map(name => nameKey(foldedName(name)))
  )

function startingWith(start: string): Test[] {
  const key = nameKey(start)
  const near = sql<SqlBool>`name_key >= ${key} and name_key <= ${`${key}\u{10FFFF}`}`
  return start === key ? [near] : [near, sql`substr(name_folded, 1, ${[...start].length}) = ${start}`]
}

/** Selects the ids from the index of names or of their trigrams; undefined if the part is too short for those. */
export function findByName(db: Db, part: NameFilter, test: Test): RawBuilder<number> | undefined {
  const select = findByTest(db, part, test)
  if (part.contains === undefined) return select
  const like = engineOf(db).search.namedLike(foldedName(part.contains))
  return like && sql`${select} and id in (${like})`
}

/** Returns the condition on a row of `product_template`. */
export function testProductId(db: Db, { equals, in: list, ...others }: TextFilter): Test {
  others satisfies NoOthers
  const { search } = engineOf(db)
  const eb = expressionBuilder()
  const isOne = (id: string) => search.matches(sql.ref<number>('product_template.id'), [productIdTerm(id)])
  const lists = [equals === undefined ? undefined : [equals], list].filter(ids => ids !== undefined)
  return eb.and(lists.map(ids => eb.or(ids.map(isOne))))
}

/** Selects the ids from the search index. The filter has one condition. */
export function findByProductId(
  db: Db,
  { equals, in: list = [], ...others }: TextFilter
): RawBuilder<number> {
  others satisfies NoOthers
  const ids = equals === undefined ? list : [equals]
  const found = ids.map(id => engineOf(db).search.ids([productIdTerm(id)]))
  return found.length > 0 ? sql.join(found, sql` union all `) : sql`select 0 where 1 = 0`
}

/** Returns the condition on a row of `product_template`: for each condition of the filter there is a matching entry. */
export function testTrait(db: Db, filter: TraitFilter): Test {
  const { traits } = engineOf(db)
  return expressionBuilder().and(toEntries(filter).map(entry => traits.test(typeKeys(filter.type), entry)))
}

/** Selects the ids of templates with a matching entry, possibly with duplicates. The filter has one condition. */
export function findByTrait(db: Db, filter: TraitFilter): RawBuilder<number> {
  const [condition = {}] = toEntries(filter)
  return engineOf(db).traits.find(typeKeys(filter.type), condition)
}

function toEntries(filter: TraitFilter): EntryCondition[] {
  const { type: _type, exists: _exists, equals, in: list, contains, bounds, ...others } = filter
  others satisfies NoOthers
  const conditions: EntryCondition[] = []
  if (equals !== undefined) conditions.push({ keys: keysOf([equals]) })
  if (list) conditions.push({ keys: keysOf(list) })
  if (contains !== undefined) conditions.push({ part: storable(contains) })
  if (bounds) conditions.push({ bounds })
  return conditions.length === 0 ? [{}] : conditions
}

/** A filter treats an absent value and null alike. */
export const keysOf = (values: unknown[]): string[] =>
  values.flatMap(value => (value === null ? [valueKey(undefined), valueKey(null)] : [valueKey(value)]))
