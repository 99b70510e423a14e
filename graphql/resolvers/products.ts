import type { GraphQLResolveInfo } from 'graphql'
import { type Position, reverse, type TemplateOrder } from '../../db/templates/read/order.ts'
import { countTemplates, countUpTo, findPage, type Search } from '../../db/templates/read/page.ts'
import type { TemplateFields } from '../../db/templates/table/product-templates.ts'
import { badInput } from '../errors.ts'
import type { Context } from '../execute.ts'
import { countFields, selectedFields } from '../execution/selection.ts'
import {
  fromCursor,
  inRange,
  type ListArguments,
  readOrder,
  sizes,
  toConnection,
  toCursor
} from '../paging.ts'

/** Resolves a Relay connection, Relay Cursor Connections Specification §4. */
export function products(
  _root: unknown,
  given: ListArguments,
  { operation, reading }: Context,
  info: GraphQLResolveInfo
) {
  return operation.evaluate(async () => {
    const { search, limit, order, backward } = toPageRequest(given, selectedFields(info))
    const plan = await reading.plan(given.where)
    const exists = (within: Search | undefined) =>
      within !== undefined &&
      operation.evaluate(async () => (await findPage(reading.db, plan, within, 0, operation)).more)

    const { matches, more } = await findPage(reading.db, plan, search, limit, operation)
    if (backward) matches.reverse()
    const edges = matches.map(match => ({ cursor: toCursor(order, match), node: match.template }))
    operation.spendOnItems(edges.length, countFields(info))
    const pages = {
      hasNextPage: () => (backward ? exists(beyond(search, order, matches.at(-1))) : more),
      hasPreviousPage: () => (backward ? more : exists(beyond(search, reverse(order), matches[0])))
    }
    return {
      ...toConnection(edges, pages),
      totalCount: () => operation.evaluate(() => countTemplates(reading.db, plan, operation)),
      totalCountUpTo({ limit }: { limit: number }) {
        const max = inRange('limit', limit) as number
        return operation.evaluate(() => countUpTo(reading.db, plan, max, operation))
      }
    }
  })
}

/** Paging backward is paging forward in reverse order. */
function toPageRequest({ first, after, last, before, orderBy }: ListArguments, fields: TemplateFields) {
  if (typeof first === 'number' && typeof last === 'number')
    throw badInput('first and last cannot be combined')
  const backward = typeof last === 'number'
  const order = readOrder(orderBy)
  const behind = fromCursor(after, order)
  const ahead = fromCursor(before, order)
  return {
    search: {
      order: backward ? reverse(order) : order,
      range: { after: backward ? ahead : behind, before: backward ? behind : ahead },
      fields
    },
    limit:
      inRange('first', first, sizes.products.max) ??
      inRange('last', last, sizes.products.max) ??
      sizes.products.default,
    order,
    backward
  }
}

/** Searches after the end of a page; for an empty page, from its start. */
function beyond(
  { range: { after: begin } }: Search,
  order: TemplateOrder,
  end: Position | undefined
): Search | undefined {
  const fields: TemplateFields = new Set()
  if (end) return { order, range: { after: end }, fields }
  return begin && { order, range: { from: begin }, fields }
}
