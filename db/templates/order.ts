import { type SqlBool, sql } from 'kysely'
import type { Db } from '../schema.ts'

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

/** Selects the positions of the templates in a range, in order. */
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
