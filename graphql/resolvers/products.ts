import type { GraphQLResolveInfo } from 'graphql'
import type { Db } from '../../db/schema.ts'
import {
  countTemplates,
  findPage,
  type PageRequest,
  type Position,
  type TemplateOrder
} from '../../db/templates/pages.ts'
import { findProductTemplates, type ProductTemplate } from '../../db/templates/product-templates.ts'
import type { Context } from '../context.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { inRange } from '../range.ts'
import { selectsDocument } from '../selection.ts'
import { badInput, toFilter } from '../where.ts'

interface ConnectionArguments {
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
  where?: { [name: string]: unknown } | null
  orderBy?: TemplateOrder | null
}

const defaultPageSize = 50
const maxPageSize = 100

/** Resolves a Relay connection, Relay Cursor Connections Specification §4. */
export async function products(
  _root: unknown,
  given: ConnectionArguments,
  { db }: Context,
  info: GraphQLResolveInfo
) {
  const { request, order, backward } = parse(given)
  const { positions, more } = await findPage(db, request)
  if (backward) positions.reverse()
  const rows = await findProductTemplates(
    db,
    positions.map(({ id }) => id),
    selectsDocument(info)
  )
  const cursorOf = (position: Position | undefined) => position && toCursor(order, position)
  const edges = positions.flatMap(position => {
    const node = rows.get(position.id)
    return node ? [{ cursor: toCursor(order, position), node }] : []
  })
  return {
    edges,
    nodes: () => edges.map(({ node }: { node: ProductTemplate }) => node),
    pageInfo: {
      hasNextPage: () => (backward ? exists(db, request, order, positions.at(-1)) : more),
      hasPreviousPage: () => (backward ? more : exists(db, request, reverse(order), positions[0])),
      // The position of a template that has been deleted since is still valid.
      startCursor: cursorOf(positions[0]),
      endCursor: cursorOf(positions.at(-1))
    },
    totalCount: () => countTemplates(db, request.where)
  }
}

/** Converts the arguments to a page request. Paging backward is paging forward in reverse order. */
function parse({ first, after, last, before, where, orderBy }: ConnectionArguments) {
  if (typeof first === 'number' && typeof last === 'number')
    throw badInput('first and last cannot be combined')
  const backward = typeof last === 'number'
  const order: TemplateOrder = orderBy ?? { field: 'TIME_MODIFIED', direction: 'DESC' }
  const limit = inRange('first', first, maxPageSize) ?? inRange('last', last, maxPageSize) ?? defaultPageSize
  const behind = fromCursor(after, order)
  const ahead = fromCursor(before, order)
  const request: PageRequest = {
    where: toFilter(where),
    order: backward ? reverse(order) : order,
    after: backward ? ahead : behind,
    before: backward ? behind : ahead,
    limit
  }
  return { request, order, backward }
}

const reverse = ({ field, direction }: TemplateOrder): TemplateOrder => ({
  field,
  direction: direction === 'ASC' ? 'DESC' : 'ASC'
})

/** Whether templates follow the end of a page; for an empty page, whether any follow its start. */
async function exists(
  db: Db,
  { where, after: begin }: PageRequest,
  order: TemplateOrder,
  end: Position | undefined
): Promise<boolean> {
  if (!end && !begin) return false
  const place = end ? { after: end } : { from: begin }
  return (await findPage(db, { where, order, ...place, limit: 0 })).more
}
