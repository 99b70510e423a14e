import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, ProductTemplateTable } from '../../schema.ts'
import { entryCost, listCost, lookUpCost, searchedNameCost, visitCost } from '../costs.ts'
import { searchTerms } from './keys.ts'
import {
  type Comparison,
  compare,
  findByName,
  findByProductId,
  findByTest,
  findByTrait,
  type NameFilter,
  type TextFilter,
  type TraitFilter,
  testName,
  testProductId,
  testTrait
} from './sql.ts'

/** The input types of the GraphQL schema. */
export type InputType =
  | 'IntFilter'
  | 'StringFilter'
  | 'NameFilter'
  | 'BooleanFilter'
  | 'TimeFilter'
  | 'TraitFilter'
  | 'String'

/** How to filter templates by a field. */
export interface Field<Value> {
  input: InputType
  description: string
  /** Splits the value into parts that must all hold. `find` can look up each part in an index. */
  split(value: Value): Value[]
  /** Returns the condition on a row of `product_template`. */
  test(db: Db, value: Value): Expression<SqlBool>
  /** Selects the ids that match a part from an index, possibly with duplicates; undefined if no index has them. */
  find(db: Db, part: Value, test: Expression<SqlBool>): RawBuilder<number> | undefined
  /**
   * Costs for templates that have `density` values of a trait: of `test` for a row, and of `find` for each template in the
   * database, if all match.
   */
  costs(part: Value, density: number): { test: number; find: number }
  /** Whether the index lists ids one by one, so that finding a few takes little time. */
  listsOneByOne(part: Value): boolean
  /** Whether it depends on the index or on columns derived from the template. */
  derived: boolean
}

/** Defines a field by a column of `product_template`. SQLite's covering indexes for the orders include the column. */
const column = <Value extends object>(
  name: keyof ProductTemplateTable,
  more: Pick<Field<Value>, 'input' | 'description'> & Partial<Field<Value>>
): Field<Value> => ({
  split: value => [value],
  test: (_db, value) => compare(name, value),
  find: () => undefined,
  costs: () => ({ test: visitCost, find: listCost }),
  listsOneByOne: () => true,
  derived: false,
  ...more
})

/**
 * Every field that templates can be filtered by. Add a plain column only here: the input type in the GraphQL schema, the type
 * of a filter, its SQL and its cost are derived from this table.
 */
export const fields = {
  id: column<Comparison<number>>('id', {
    input: 'IntFilter',
    description: 'Condition on the identifier.',
    find: findByTest
  }),
  name: column<NameFilter>('name', {
    input: 'NameFilter',
    description: 'Condition on the display name.',
    // Every name starts with the empty string.
    split: name => splitEntries(name).filter(({ startsWith }) => startsWith !== ''),
    test: testName,
    find: findByName,
    costs: ({ contains }) => ({
      test: contains === undefined ? visitCost : searchedNameCost,
      find: listCost
    }),
    listsOneByOne: ({ contains }) => contains === undefined,
    derived: true
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
    find: findByTest
  }),
  timeModified: column<Comparison<string>>('time_modified', {
    input: 'TimeFilter',
    description: 'Condition on the time of the last modification.',
    find: findByTest
  }),
  productId: {
    input: 'StringFilter',
    description: 'Condition on `productId` of the document; a number counts as its text.',
    split: splitEntries,
    test: testProductId,
    find: findByProductId,
    costs: ({ in: list }) => ({ test: lookUpCost * (list?.length ?? 1), find: listCost }),
    listsOneByOne: () => true,
    derived: true
  } satisfies Field<TextFilter>,
  trait: {
    input: 'TraitFilter',
    description: 'Condition on a trait of the document. Use `and` for several traits.',
    split: ({ type, ...value }) =>
      Object.keys(value).length === 0 ? [{ type }] : splitEntries(value).map(part => ({ type, ...part })),
    test: testTrait,
    find: findByTrait,
    costs(part, density) {
      const { in: list = [], contains, bounds } = part
      // The keys of values are looked up. For other conditions, each value of the trait is read, or at least listed.
      const read = contains !== undefined || bounds ? entryCost * density : 0
      const listed = (bounds ? entryCost : listCost) * (hasKeys(part) ? 1 : density)
      return { test: lookUpCost + listCost * list.length + read, find: listed }
    },
    listsOneByOne: ({ contains, bounds }) => contains === undefined && bounds === undefined,
    derived: true
  } satisfies Field<TraitFilter>,
  search: {
    input: 'String',
    description:
      'Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait. ' +
      'Only letters and digits count; case and accents are ignored. At most 1000 characters.',
    split: text => (searchTerms(text).length === 0 ? [] : [text]),
    test: (db, text) =>
      engineOf(db).search.matches(sql.ref<number>('product_template.id'), searchTerms(text)),
    find: (db, text) => engineOf(db).search.ids(searchTerms(text)),
    costs(text) {
      const words = searchTerms(text).length
      return { test: lookUpCost * words, find: listCost * words }
    },
    // Prefixes are merged before the first id is listed.
    listsOneByOne: () => false,
    derived: true
  } satisfies Field<string>
}

/** Conditions of a filter, by field. */
export type FieldConditions = {
  [Name in keyof typeof fields]?: (typeof fields)[Name] extends Field<infer Value> ? Value : never
}

/** Conditions on templates; all must hold. */
export interface TemplateFilter extends FieldConditions {
  /** An empty list is ignored. */
  and?: TemplateFilter[]
  /** An empty list matches nothing. */
  or?: TemplateFilter[]
  not?: TemplateFilter
}

/** Lists the conditions of a filter on traits. */
export const listTraits = ({ and = [], or = [], not, trait }: TemplateFilter): TraitFilter[] => [
  ...(trait ? [trait] : []),
  ...[...and, ...or, ...(not ? [not] : [])].flatMap(listTraits)
]

/** Whether a condition on a trait looks up keys of values. Other conditions read each value. */
export const hasKeys = ({ equals, in: list }: TraitFilter): boolean =>
  equals !== undefined || list !== undefined

/** Splits an object into objects with one entry each. */
function splitEntries<Value extends object>(value: Value): Value[] {
  return Object.entries(value).map(([name, one]) => ({ [name]: one }) as Value)
}
