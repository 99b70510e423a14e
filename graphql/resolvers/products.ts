/** A page of templates, and the fields of a template. */
import type { Plan } from '../../db/templates/filter/plan.ts'
import { onlyId, type PartialTemplate, type TemplateFields } from '../../db/templates/product-templates.ts'
import {
  type Position,
  reverseOrder,
  type Search,
  type TemplateOrder
} from '../../db/templates/read/order.ts'
import {
  countTemplates,
  countUpTo,
  findPage,
  findsPageByOneStatement,
  type Match
} from '../../db/templates/read/page.ts'
import { readDocument } from '../../db/templates/revisions/revisions.ts'
import { formatHash, hashData, parseDocument } from '../../domain/document.ts'
import { yieldDocumentToEventLoop } from '../../runtime/event-loop.ts'
import { costOfFilter, costOfOrder } from '../admission/cost.ts'
import type { FieldDemands, SelectedField } from '../admission/demands.ts'
import { lookUpCost, rowCost } from '../admission/unit-costs.ts'
import { badInput } from '../errors.ts'
import { cacheableField, type FieldContext } from '../fields.ts'
import { unparsedCharacterWeight } from '../operation/operation.ts'
import {
  fromCursor,
  type ListArguments,
  listSizes,
  pageOf,
  readNumber,
  readOrder,
  toConnection,
  toCursor,
  toNodeId
} from '../relay.ts'
import { findSelectedFields, isSelected } from '../selection.ts'
import { revisions } from './revisions.ts'

const demands: FieldDemands = {
  ownCost: field => lookUpCost + costOfFilter(field) + costOfOrder(field),
  items: pageOf(listSizes.products),
  readsByOneStatement: field =>
    readsPageByOneStatement(field) && !listFurtherFields(field.args).some(name => isSelected(field, name))
}

/** Whether one statement reads the selected fields of a page of templates. */
export function readsPageByOneStatement(field: SelectedField): boolean {
  const { where, orderBy, offset } = field.args as ListArguments
  const isOneStatement = findsPageByOneStatement(where ?? {}, readOrder(orderBy), offset ?? 0)
  return isOneStatement && !field.rule && !isSelected(field, 'revisions')
}

/** Lists the fields of a page that need their own statements. The page itself tells whether more follow. */
function listFurtherFields({ last, after, before }: ListArguments): string[] {
  const isBackward = typeof last === 'number'
  const opposite = isBackward ? before && 'hasNextPage' : after && 'hasPreviousPage'
  return ['totalCount', 'totalCountUpTo', ...(opposite ? [opposite] : [])]
}

/** Resolves a Relay connection, Relay Cursor Connections Specification §4. */
export const products = cacheableField(demands, async (_root, args: ListArguments, context, info) => {
  const { search, limit, order, backward } = readPageArguments(args, findSelectedFields(info))
  const plan = context.reader.plan(args.where)
  const [further, opposite] = backward
    ? ['hasPreviousPage', 'hasNextPage']
    : ['hasNextPage', 'hasPreviousPage']
  const matches = await findPage(context.reader.db, plan, {
    ...search,
    limit: isSelected(info, further) ? limit + 1 : limit
  })
  const page = matches.slice(0, limit)
  const before = isSelected(info, opposite) ? searchBefore(search, page[0]) : undefined
  const pages = {
    [further]: matches.length > limit,
    [opposite]: before !== undefined && (await findPage(context.reader.db, plan, before)).length > 0
  }
  if (backward) page.reverse()
  const edges = page.map(match => new Edge(order, match))
  return { ...toConnection(edges, pages), plan }
})

class Edge {
  readonly node: PartialTemplate
  readonly #order: TemplateOrder
  readonly #position: Position

  constructor(order: TemplateOrder, match: Match) {
    this.node = match.template
    this.#order = order
    this.#position = match
  }

  /** A getter, because most queries select `nodes`; a getter of a class, because V8 makes it only once. */
  get cursor(): string {
    return toCursor(this.#order, this.#position)
  }
}

type Connection = { plan: Plan }

const countDemands: FieldDemands = {
  ownCost: ({ statistics }) => lookUpCost + statistics.templates * rowCost
}

/** The counts of all matches. */
export const ProductTemplateConnection = {
  totalCount: cacheableField(countDemands, ({ plan }: Connection, _args, context) =>
    countTemplates(context.reader.db, plan)
  ),
  totalCountUpTo: cacheableField(
    countDemands,
    ({ plan }: Connection, { limit }: { limit: number }, context) =>
      countUpTo(context.reader.db, plan, readNumber('limit', limit) as number)
  )
}

/** Paging backward is paging forward in reverse order. */
function readPageArguments({ first, after, last, before, orderBy }: ListArguments, fields: TemplateFields) {
  if (typeof first === 'number' && typeof last === 'number')
    throw badInput('first and last cannot be combined')
  const { default: size, max } = listSizes.products
  const backward = typeof last === 'number'
  const order = readOrder(orderBy)
  const start = fromCursor(after, order)
  const end = fromCursor(before, order)
  return {
    search: {
      order: backward ? reverseOrder(order) : order,
      ...(backward ? { after: end, before: start } : { after: start, before: end }),
      fields
    },
    limit: readNumber(backward ? 'last' : 'first', backward ? last : first, max) ?? size,
    order,
    backward
  }
}

/**
 * Makes the search for a template before the first one of a page, on the side of its cursor. If the page is empty, the
 * cursor is its place. Without a cursor there are no such templates: undefined.
 */
function searchBefore({ order, after: cursor }: Search, first: Position | undefined): Search | undefined {
  if (!cursor) return undefined
  const range = first ? { after: first } : { from: cursor }
  return { order: reverseOrder(order), ...range, limit: 1, fields: onlyId }
}

/** Makes the resolver of a field that comes from the document. It reads a long document that the page has left out. */
const documentField =
  <Result>(convert: (data: string, context: FieldContext) => Result, weight = 1) =>
  (template: PartialTemplate, _args: object, context: FieldContext): Result | Promise<Result> => {
    const resolve = (data: string): Result => {
      context.countRead(data.length * weight)
      return convert(data, context)
    }
    return typeof template.data === 'string'
      ? resolve(template.data)
      : readDocument(context.reader.db, template).then(resolve)
  }

export const ProductContents = {
  data: documentField(data => data, unparsedCharacterWeight),
  document: documentField((data, context) =>
    // A query need not yield: if it reads too much, it moves to a worker thread.
    context.type === 'query' || data.length < longDocument ? parseDocument(data) : parseAfterYield(data)
  ),
  hash: documentField(data => formatHash(hashData(data)), unparsedCharacterWeight)
}

/** Characters of a document that is parsed in a turn of its own. */
const longDocument = 2 ** 13
/** Attributes that are completed in one turn of the event loop. */
const attributesPerTurn = 250

/** Parses a long document in the next turn of the event loop, and completes its attributes in several turns. */
async function parseAfterYield(data: string) {
  await yieldDocumentToEventLoop()
  const document = parseDocument(data)
  await yieldDocumentToEventLoop()
  return document && { ...document, attributes: completeInTurns(document.attributes) }
}

/** Makes a list whose items graphql-js completes in several turns of the event loop. */
function completeInTurns<Item>(items: Item[]): Promise<Item>[] {
  let turn = Promise.resolve()
  return items.map((item, index) => {
    if (index % attributesPerTurn === 0) turn = turn.then(yieldDocumentToEventLoop)
    return turn.then(() => item)
  })
}

export const ProductTemplate = {
  ...ProductContents,
  nodeId: ({ id }: PartialTemplate) => toNodeId('ProductTemplate', id),
  revisions
}
