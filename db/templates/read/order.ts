import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { maxInt } from '../../../domain/columns.ts'
import { ArgumentError } from '../../../runtime/host-errors.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { typeKey } from '../filter/keys.ts'
import { onlyId, selectedColumns, type TemplateFields, type TemplateRow } from '../product-templates.ts'

/**
 * The fields templates can be ordered by; ties are ordered by id. `index` is the name after `product_template_by_` of
 * the index that has the order. Without an index, templates are sorted.
 */
export const orders = {
  TIME_MODIFIED: { column: 'time_modified', type: 'time', index: 'modified' },
  TIME_CREATED: { column: 'time_created', type: 'time', index: 'created' },
  NAME: { column: 'name_key', type: 'text', index: 'name' },
  ID: { column: 'id', type: 'integer', index: 'id' },
  COMPONENT_NAME: { column: 'component_name', type: 'text', index: undefined },
  BLOCKCHAIN_ID: { column: 'blockchain_id', type: 'integer', index: undefined },
  PUBLIC_PRODUCT: { column: 'public_product', type: 'integer', index: undefined },
  MAX_ITEMS: { column: 'max_items', type: 'integer', index: undefined }
} as const

export interface TemplateOrder {
  field: keyof typeof orders
  direction: 'ASC' | 'DESC'
  /** Name of a trait to order by, instead of the field. */
  trait?: string | null
  /** Whether this is the reverse of the requested order, for paging backward. */
  isReversed?: boolean
}

export const defaultOrder: TemplateOrder = { field: 'TIME_MODIFIED', direction: 'DESC' }

export const isByTrait = (order: TemplateOrder): order is TemplateOrder & { trait: string } =>
  typeof order.trait === 'string'

/** Whether an order needs the complete index of templates. */
export const orderNeedsIndex = (order: TemplateOrder): boolean => order.field === 'NAME' || isByTrait(order)

/** Whether an index of columns has the order. Otherwise the templates are sorted. */
export const hasColumnIndex = (order: TemplateOrder): boolean =>
  !isByTrait(order) && orders[order.field].index !== undefined

/** Throws ArgumentError if a host passes something else than an order. */
export function checkOrder(order: TemplateOrder): void {
  if (
    !Object.hasOwn(orders, order.field) ||
    !['ASC', 'DESC'].includes(order.direction) ||
    !['string', 'undefined'].includes(typeof (order.trait ?? undefined))
  )
    throw new ArgumentError(
      `orderBy.field must be ${Object.keys(orders).join(', ')}; orderBy.direction ASC or DESC; orderBy.trait a name`
    )
}

export const reverseOrder = (order: TemplateOrder): TemplateOrder => ({
  ...order,
  direction: order.direction === 'ASC' ? 'DESC' : 'ASC',
  isReversed: !order.isReversed
})

/** The position of a template in an order. The template may have been deleted since. */
export interface Position {
  /** The value of the column; for a trait, the number and the text of its value. */
  key: string | number | [number: number, text: string]
  id: number
}

/** What to read of the matches of a plan: which part of an order, and which fields. */
export interface Search {
  order: TemplateOrder
  /** Only templates after this position. */
  after?: Position | undefined
  /** Only templates at or after this position. */
  from?: Position | undefined
  /** Only templates before this position. */
  before?: Position | undefined
  /** Only templates at or before this position. */
  upTo?: Position | undefined
  /** Templates in this range that are left out. */
  offset?: number | undefined
  /** All templates if omitted. */
  limit?: number | undefined
  fields: TemplateFields
}

/** Which rows are the matches of a plan, and how to read them in order. */
export interface MatchingRows {
  /** A condition on a row; undefined: all rows match. */
  test?: Expression<SqlBool> | undefined
  /** Whether few rows match. Then these are sorted. Otherwise the index of the order is walked. */
  isSelective?: boolean
}

/** Finds the positions of the matches in an order. */
export async function findPositions(db: Db, search: Search, matching: MatchingRows): Promise<Position[]> {
  if (!isByTrait(search.order))
    return (await selectInOrder(db, { ...search, fields: onlyId }, matching).execute(db)).rows
  const { rows } = await selectByTrait(db, search, matching).execute(db)
  return rows.map(({ id, number, text }) => ({ id, key: [number, text] }))
}

/** Selects templates in the order of a column, with their positions and fields. */
export function selectInOrder(
  db: Db,
  search: Search,
  { test, isSelective = false }: MatchingRows
): RawBuilder<Position & TemplateRow> {
  const { order, fields, limit = maxInt, offset = 0 } = search
  const { column, index } = orders[order.field]
  const key = sql.ref<string | number>(`product_template.${column}`)
  const from = isSelective ? sql`product_template` : engineOf(db).syntax.tableInOrder(index)
  // This is an expression, so that SQLite finds the rows by the condition, and not by the position.
  const compared = isSelective ? sql`coalesce(${key}, null)` : key
  const conditions = [...testRange(search, [compared, id]), ...(test ? [sql`(${test})`] : [])]
  return sql`select ${key} as key, ${selectedColumns(fields)} from ${from} ${whereAll(conditions)}
    order by ${inDirection(order, [key, id])} limit ${limit} offset ${offset}`
}

/** Characters of a text that are compared. */
const longestSortText = 40
/** The sort number of a text that is not a number. Numbers have at most 16 digits. */
const aboveNumbers = 1e17

/**
 * Selects the ids of templates in the order of a trait, with their positions: numbers, then other texts by code point;
 * `DESC` reverses this. In both directions, templates without the trait come last. Of several values, the first counts.
 * No index has this order: all templates that match are read.
 */
export function selectByTrait(
  db: Db,
  search: Search,
  { test, isSelective = false }: MatchingRows
): RawBuilder<{ id: number; number: number; text: string }> {
  const { order, limit = maxInt, offset = 0 } = search
  const { traits, syntax } = engineOf(db)
  const [number, text, id] = [sql.ref('number'), sql.ref<string | null>('text'), sql.ref('id')]
  const isLast = (order.direction === 'ASC') !== (order.isReversed ?? false)
  const absent = isLast ? 2 * aboveNumbers : -2 * aboveNumbers
  // The subquery is materialized, because the engines would evaluate the expressions of a subquery for each use.
  const from = isSelective ? sql`product_template` : syntax.tableInOrder('id')
  const matches = sql`${from} ${whereAll(test ? [test] : [])}`
  const few = isSelective ? sql<number>`select id from ${matches}` : undefined
  return sql`with texts as materialized (
      select template_id, min(substr(key, 2, ${sql.lit(longestSortText)})) as text
      from ${traits.shownEntries(typeKey(order.trait ?? ''), few)} group by template_id
    ), sorted as materialized (
      select id, coalesce(text, '') as text, coalesce(
        ${traits.numberIn(text)}, case when text is null then ${sql.lit(absent)} else ${sql.lit(aboveNumbers)} end
      ) as number from (select id from ${matches}) as matched left join texts on template_id = id
    )
    select number, text, id from sorted ${whereAll(testRange(search, [number, text, id]))}
    order by ${inDirection(order, [number, text, id])} limit ${limit} offset ${offset}`
}

/** Tests whether keys are in the range of a search. */
function testRange(
  { order, after, from, before, upTo }: Search,
  keys: RawBuilder<unknown>[]
): RawBuilder<SqlBool>[] {
  const [behind, ahead] = order.direction === 'ASC' ? ['>', '<'] : ['<', '>']
  const compare = (operator: string, position: Position | undefined) =>
    position
      ? [
          sql<SqlBool>`(${sql.join(keys)}) ${sql.raw(operator)} (${sql.join([position.key, position.id].flat())})`
        ]
      : []
  return [
    ...compare(`${behind}`, after),
    ...compare(`${behind}=`, from),
    ...compare(`${ahead}`, before),
    ...compare(`${ahead}=`, upTo)
  ]
}

const whereAll = (conditions: Expression<unknown>[]): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``

const inDirection = ({ direction }: TemplateOrder, keys: RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join(keys.map(key => sql`${key} ${sql.raw(direction)}`))

const id = sql.ref('product_template.id')
