import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { asksElsewhere, matching, type TemplateFilter } from './conditions.ts'
import { selective } from './plan.ts'

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

/** A place in an order: that of a template, whether it is still there or not. */
export interface Position {
  key: string | number
  id: number
}

export interface PageRequest {
  where: TemplateFilter
  order: TemplateOrder
  /** Only what comes behind. */
  after?: Position | undefined
  /** Only this, and what comes behind. */
  from?: Position | undefined
  /** Only what comes before. */
  before?: Position | undefined
  limit: number
}

export interface Page {
  positions: Position[]
  /** Whether there are more behind. */
  more: boolean
}

/** How far a page is looked for by going along the order, before what matches is found as a whole. */
const window = 500

/** The first templates of an order, as positions in it: by indexes alone, no document is read. */
export async function findPage(db: Db, request: PageRequest): Promise<Page> {
  const { where, limit } = request
  const enough = limit + 1
  const near = asksElsewhere(where) ? await along(db, request, enough) : []
  const found =
    near.length === enough
      ? near
      : await ordered(db, request)
          .where(await selective(db, where))
          .limit(enough)
          .execute()
  return { positions: found.slice(0, limit), more: found.length > limit }
}

/** Of the next templates in the order those that match: enough of them where many do. */
function along(db: Db, request: PageRequest, enough: number): Promise<Position[]> {
  const column = orderColumns[request.order.field]
  const direction = request.order.direction === 'ASC' ? 'asc' : 'desc'
  return db
    .selectFrom(ordered(db, request).select(filteredColumns).limit(window).as('product_template'))
    .select([`${column} as key`, 'id'])
    .where(matching(db, request.where, 'each'))
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(enough)
    .execute()
}

const filteredColumns = [
  'blockchain_id',
  'component_name',
  'max_items',
  'name',
  'name_folded',
  'name_key',
  'public_product',
  'time_created',
  'time_modified'
] as const

function ordered(db: Db, { order, after, from, before }: PageRequest) {
  const column = orderColumns[order.field]
  const [direction, behind, ahead] =
    order.direction === 'ASC' ? (['asc', '>', '<'] as const) : (['desc', '<', '>'] as const)
  const place = sql`(${sql.ref(`product_template.${column}`)}, product_template.id)`
  const is = (comparison: string, { key, id }: Position) =>
    sql<boolean>`${place} ${sql.raw(comparison)} (${key}, ${id})`
  let query = db.selectFrom('product_template').select([`${column} as key`, 'id'])
  if (after) query = query.where(is(behind, after))
  if (from) query = query.where(is(`${behind}=`, from))
  if (before) query = query.where(is(ahead, before))
  return query.orderBy(column, direction).orderBy('id', direction)
}

export async function countTemplates(db: Db, where: TemplateFilter): Promise<number> {
  const { count } = await db
    .selectFrom('product_template')
    .where(await selective(db, where))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
