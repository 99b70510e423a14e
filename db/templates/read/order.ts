import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'

/** The fields templates can be ordered by and their columns; ties are ordered by id. */
export const orderColumns = {
  TIME_MODIFIED: 'time_modified',
  TIME_CREATED: 'time_created',
  NAME: 'name_key',
  ID: 'id'
} as const

export interface TemplateOrder {
  field: keyof typeof orderColumns
  direction: 'ASC' | 'DESC'
}

export const defaultOrder: TemplateOrder = { field: 'TIME_MODIFIED', direction: 'DESC' }

/** A position in an order. It is that of a template, which may have been deleted since. */
export interface Position {
  key: string | number
  id: number
}

/** A range of an order. */
export interface Range {
  /** Only templates after this position. */
  after?: Position | undefined
  /** Only templates at or after this position. */
  from?: Position | undefined
  /** Only templates before this position. */
  before?: Position | undefined
  /** Only templates at or before this position. */
  through?: Position | undefined
}

/** What to read from an order. */
export interface Reading {
  order: TemplateOrder
  range: Range
  /** Columns besides `key`; `id` if nothing is said. */
  columns?: RawBuilder<unknown>
  /** A condition on a row. */
  test?: Expression<SqlBool> | undefined
  limit: number
  offset?: number
  /** Read only this many templates from the start of the range. If it has fewer, SQLite finds none. */
  within?: number
  /** Tables to read, so that the rows are sorted; if nothing is said, the index of the order is walked. */
  from?: RawBuilder<unknown>
}

/** Selects templates in order with their positions. */
export function selectInOrder<Row = unknown>(
  db: Db,
  { order, range, columns, test, limit, offset = 0, within, from }: Reading
): RawBuilder<Position & Row> {
  const { name, walkOrder } = engineOf(db)
  const column = orderColumns[order.field]
  const key = sql.ref(`product_template.${column}`)
  const sorted = sql`order by ${inDirection(order, key)}`
  const [behind, ahead] = order.direction === 'ASC' ? ['>', '<'] : ['<', '>']
  // SQLite would rather start at a position than list the rows that are to be sorted.
  const compared = from && name === 'sqlite' ? sql`+${key}` : key
  const compare = (operator: string, place: Position | undefined) =>
    place ? [sql`(${compared}, product_template.id) ${sql.raw(operator)} (${place.key}, ${place.id})`] : []
  const inRange = [
    ...compare(`${behind}`, range.after),
    ...compare(`${behind}=`, range.from),
    ...compare(`${ahead}`, range.before),
    ...compare(`${ahead}=`, range.through)
  ]
  const tests = test ? [sql`(${test})`] : []
  const select = sql`select ${key} as key, ${columns ?? sql`product_template.id`}`
  const limits = sql`${sorted} limit ${limit} ${offset > 0 ? sql`offset ${offset}` : sql``}`
  // If the end of a range is a subquery, PostgreSQL expects a third of the table in it, and may read the whole table.
  if (within && name === 'postgres')
    return sql`${select} from (
      select * from product_template ${where(inRange)} ${sorted} limit ${within}
    ) as product_template ${where(tests)} ${limits}`
  const last = within && selectInOrder(db, { order, range, limit: 1, offset: within - 1 })
  const end = last ? [sql`(${key}, product_template.id) ${sql.raw(ahead)}= (${last})`] : []
  return sql`${select} from ${from ?? walkOrder(column)}
    ${where([...inRange, ...end, ...tests])} ${limits}`
}

const where = (conditions: RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``

/** An ORDER BY list: keys of an order, then the ids of templates. */
export function inDirection(
  { direction }: TemplateOrder,
  key: RawBuilder<unknown>,
  id: RawBuilder<unknown> = sql.ref('product_template.id')
): RawBuilder<unknown> {
  const keyword = sql.raw(direction === 'ASC' ? 'asc' : 'desc')
  return sql`${key} ${keyword}, ${id} ${keyword}`
}
