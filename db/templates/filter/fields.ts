import { type Expression, expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Database, Db, ProductTemplateTable } from '../../schema.ts'
import { foldedName, nameKey } from '../table/name-columns.ts'
import type { Comparison, NameFilter, TextFilter, TraitFilter } from './conditions.ts'
import { oneOf } from './one-of.ts'
import { searchTerms } from './search-terms.ts'
import { storable } from './trait-key.ts'
import { findWithTrait, testTrait } from './traits.ts'

type Column = keyof ProductTemplateTable
type Condition = Expression<SqlBool>

/** The input types of the GraphQL schema. */
export type InputType =
  | 'IntFilter'
  | 'StringFilter'
  | 'NameFilter'
  | 'BooleanFilter'
  | 'TimeFilter'
  | 'TraitFilter'
  | 'String'

/** How to filter templates by a field. Costs are in the unit of {@link Meter}. */
export interface Field<Value> {
  input: InputType
  description: string
  /** Splits the value into parts that must all hold and that `find` can look up in an index one by one. */
  split(value: Value): Value[]
  /** Returns the condition on a row of `product_template`. */
  test(db: Db, value: Value): Condition
  testCost(value: Value): number
  /** Selects the ids that match a part from an index, possibly with duplicates; undefined if no index has them. */
  find(db: Db, part: Value, test: Condition): RawBuilder<number> | undefined
  /** Per template in the database, because the number of matches is not known in advance. */
  findCost(part: Value): number
  /** Whether it depends on the index or on columns derived from the template. */
  derived: boolean
  /** Share of `findCost` that listing a few ids takes: 0 if the index lists ids one by one. */
  probeShare(part: Value): number
  /** The first column of the index of `product_template` that finds the rows that pass the test, if one does. */
  indexedColumn?: Column
  /** Up to this many ids are listed and sorted before an order is walked; 0 if the index does not list ids one by one. */
  maxCandidates(part: Value): number
  /** Whether few templates meet a part, whatever its value is. */
  isNarrow(part: Value): boolean
}

/** Defines a field by a column of `product_template`. SQLite's covering indexes for the orders include the column. */
const column = <Value extends object>(
  name: Column,
  more: Pick<Field<Value>, 'input' | 'description'> & Partial<Field<Value>>
): Field<Value> => ({
  split: value => [value],
  test: (_db, value) => compare(name, value),
  testCost: () => 0.005,
  find: () => undefined,
  findCost: () => Number.POSITIVE_INFINITY,
  derived: false,
  probeShare: () => 0,
  maxCandidates: () => 0,
  isNarrow: () => false,
  ...more
})

/** For a column with its own index. */
const ordered = (indexedColumn: Column) => ({
  findCost: () => 0.02,
  indexedColumn,
  maxCandidates: () => 2000
})
const findByTest = (_db: Db, _value: unknown, test: Condition) =>
  sql<number>`select id from product_template where ${test}`

/**
 * Every field that templates can be filtered by. Add a field only here: the input type in the GraphQL schema, the type
 * of a filter, its SQL and its cost are derived from this table.
 */
export const fields = {
  id: column<Comparison<number>>('id', {
    input: 'IntFilter',
    description: 'Condition on the identifier.',
    ...ordered('id'),
    isNarrow: ({ equals, in: list }) => equals !== undefined || list !== undefined,
    find: findByTest
  }),
  name: column<NameFilter>('name', {
    input: 'NameFilter',
    description: 'Condition on the display name.',
    // Every name starts with the empty string.
    split: name => splitEntries(name).filter(({ startsWith }) => startsWith !== ''),
    test: (db, value) => all(testName(db, value)),
    testCost: () => 0.02,
    ...ordered('name_key'),
    derived: true,
    isNarrow: ({ equals, in: list }) => equals !== undefined || list !== undefined,
    find: findNamed,
    probeShare: ({ contains }) => (contains === undefined ? 0 : 0.25),
    maxCandidates: ({ contains }) => (contains === undefined ? 2000 : 0)
  }),
  componentName: column<TextFilter>('component_name', {
    input: 'StringFilter',
    description: 'Condition on the UI component.'
  }),
  blockchainId: column<Comparison<number>>('blockchain_id', {
    input: 'IntFilter',
    description: 'Condition on the blockchain.'
  }),
  publicProduct: column<{ equals?: boolean }>('public_product', {
    input: 'BooleanFilter',
    description: 'Condition on whether the template is public.'
  }),
  maxItems: column<Comparison<number>>('max_items', {
    input: 'IntFilter',
    description: 'Condition on the maximum number of items.'
  }),
  timeCreated: column<Comparison<string>>('time_created', {
    input: 'TimeFilter',
    description: 'Condition on the creation time.',
    ...ordered('time_created'),
    find: findByTest
  }),
  timeModified: column<Comparison<string>>('time_modified', {
    input: 'TimeFilter',
    description: 'Condition on the time of the last modification.',
    ...ordered('time_modified'),
    find: findByTest
  }),
  trait: {
    input: 'TraitFilter',
    description: 'Condition on a trait of the document. Use `and` for several traits.',
    split: ({ type, ...value }) =>
      Object.keys(value).length === 0 ? [{ type }] : splitEntries(value).map(part => ({ type, ...part })),
    test: testTrait,
    // Each value of a list is looked up, and of each value of the trait its text is read.
    testCost: ({ in: list = [], contains }) =>
      0.25 + 0.02 * list.length + (contains === undefined ? 0 : 0.25),
    find: findWithTrait,
    findCost: () => 0.04,
    derived: true,
    probeShare: ({ contains }) => (contains === undefined ? 0 : 0.25),
    maxCandidates: ({ contains }) => (contains === undefined ? 500 : 0),
    isNarrow: () => false
  } satisfies Field<TraitFilter>,
  search: {
    input: 'String',
    description:
      'Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait. ' +
      'Only letters and digits count; case and accents are ignored. At most 1000 characters.',
    split: text => (searchTerms(text).length === 0 ? [] : [text]),
    test: (db, text) =>
      engineOf(db).search.matches(sql.ref<number>('product_template.id'), searchTerms(text)),
    testCost: text => 0.3 + 0.1 * searchTerms(text).length,
    find: (db, text) => engineOf(db).search.ids(searchTerms(text)),
    findCost: text => 0.04 * searchTerms(text).length,
    derived: true,
    // Prefixes are merged before the first id is listed.
    probeShare: text => (searchTerms(text).length > 1 ? 1 : 0.25),
    maxCandidates: () => 0,
    isNarrow: () => false
  } satisfies Field<string>
}

/** Conditions of a filter, by field. */
export type FieldConditions = {
  [Name in keyof typeof fields]?: (typeof fields)[Name] extends Field<infer Value> ? Value : never
}

/** Splits an object into objects with one entry each. */
function splitEntries<Value extends object>(value: Value): Value[] {
  return Object.entries(value).map(([name, one]) => ({ [name]: one }) as Value)
}

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=', equals: '=' } as const

function compare(name: Column, { in: list, ...bounds }: { in?: unknown[] } & object): Condition {
  const eb = expressionBuilder<Database, 'product_template'>()
  const conditions = Object.entries(bounds).map(([operator, value]) =>
    eb(name, operators[operator as keyof typeof operators], stored(value) as never)
  )
  return eb.and(list ? [...conditions, oneOf(eb.ref(name), list.map(stored))] : conditions)
}

function stored(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? storable(value) : value
}

const all = (conditions: Condition[]): Condition => expressionBuilder().and(conditions)

/** The index has the first 100 characters of the folded name; the condition on the whole name decides. */
function testName(db: Db, { contains, startsWith, equals, in: list }: NameFilter): Condition[] {
  const eb = expressionBuilder<Database, 'product_template'>()
  const conditions = [equals === undefined ? undefined : [equals], list].flatMap(names =>
    names === undefined ? [] : [keyed(names), oneOf(eb.ref('name'), names.map(storable))]
  )
  if (contains !== undefined) conditions.push(engineOf(db).isIn(foldedName(contains), eb.ref('name_folded')))
  if (startsWith) conditions.push(...startingWith(foldedName(startsWith)))
  return conditions
}

const keyed = (names: string[]): Condition =>
  oneOf(
    sql.ref('name_key'),
    names.map(name => nameKey(foldedName(name)))
  )

function startingWith(start: string): Condition[] {
  const key = nameKey(start)
  const near = sql<SqlBool>`name_key >= ${key} and name_key <= ${`${key}\u{10FFFF}`}`
  return start === key ? [near] : [near, sql`substr(name_folded, 1, ${[...start].length}) = ${start}`]
}

function findNamed(db: Db, part: NameFilter, test: Condition): RawBuilder<number> | undefined {
  const select = findByTest(db, part, test)
  if (part.contains === undefined) return select
  const like = engineOf(db).search.namedLike(foldedName(part.contains))
  return like && sql`${select} and id in (${like})`
}
