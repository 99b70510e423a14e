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

/** Whether an order needs a complete index. */
export const orderNeedsIndex = (order: TemplateOrder): boolean => order.field === 'NAME'

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
interface OrderedSelection {
  order: TemplateOrder
  range: Range
  /** Columns besides `key`; `id` by default. */
  columns?: RawBuilder<unknown>
  /** A condition on a row. */
  test?: Expression<SqlBool> | undefined
  limit: number
  offset?: number | undefined
  /** Whether to find the rows by the condition and sort them, instead of walking the index of the order. */
  isSorted?: boolean | undefined
}

/** Selects templates in order with their positions. */
export function selectInOrder<Row = unknown>(
  db: Db,
  { order, range, columns = id, test, limit, offset = 0, isSorted = false }: OrderedSelection
): RawBuilder<Position & Row> {
  const column = orderColumns[order.field]
  const key = sql.ref(`product_template.${column}`)
  const from = isSorted ? sql`product_template` : engineOf(db).syntax.walkOrder(column)
  const isAscending = order.direction === 'ASC'
  const [behind, ahead] = isAscending ? ['>', '<'] : ['<', '>']
  const compare = (operator: string, place: Position | undefined) =>
    // An expression, so that SQLite does not start at the position instead of finding the rows to be sorted.
    place
      ? [
          sql`(${isSorted ? sql`coalesce(${key}, null)` : key}, ${id}) ${sql.raw(operator)} (${place.key}, ${place.id})`
        ]
      : []
  const conditions = [
    ...compare(`${behind}`, range.after),
    ...compare(`${behind}=`, range.from),
    ...compare(`${ahead}`, range.before),
    ...compare(`${ahead}=`, range.through),
    ...(test ? [sql`(${test})`] : [])
  ]
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  return sql`select ${key} as key, ${columns} from ${from} ${where}
    order by ${key} ${direction}, ${id} ${direction} limit ${limit} offset ${offset}`
}

const id = sql.ref('product_template.id')
