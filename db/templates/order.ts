import { type SqlBool, sql } from 'kysely'
import type { Db } from '../schema.ts'

/** What templates can be ordered by, and the column that has it; the id decides between equals. */
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

/** A place in an order: that of a template, whether it is still there or not. */
export interface Position {
  key: string | number
  id: number
}

/** A part of an order. */
export interface Range {
  /** Only templates after this place. */
  after?: Position | undefined
  /** Only this place and templates after it. */
  from?: Position | undefined
  /** Only templates before this place. */
  before?: Position | undefined
  /** Only templates before this place, and the one at it. */
  through?: Position | undefined
}

/** A query of the templates of a range, in order, with their positions. */
export function selectInOrder(db: Db, order: TemplateOrder, { after, from, before, through }: Range) {
  const column = orderColumns[order.field]
  const ascending = order.direction === 'ASC'
  const [direction, behind, ahead] = ascending ? (['asc', '>', '<'] as const) : (['desc', '<', '>'] as const)
  const place = sql`(${sql.ref(`product_template.${column}`)}, product_template.id)`
  const compare = (operator: string, { key, id }: Position) =>
    sql<SqlBool>`${place} ${sql.raw(operator)} (${key}, ${id})`
  let query = db.selectFrom('product_template').select([`${column} as key`, 'product_template.id'])
  if (after) query = query.where(compare(behind, after))
  if (from) query = query.where(compare(`${behind}=`, from))
  if (before) query = query.where(compare(ahead, before))
  if (through) query = query.where(compare(`${ahead}=`, through))
  return query.orderBy(column, direction).orderBy('product_template.id', direction)
}
