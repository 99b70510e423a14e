/** A page of templates, and the fields of a template. */
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { readCostPerCharacter } from '../../db/templates/costs.ts'
import { type Position, reverseOrder, type TemplateOrder } from '../../db/templates/read/order.ts'
import { countTemplates, countUpTo, findPage, type Search } from '../../db/templates/read/page.ts'
import { formatHash, hashOf } from '../../db/templates/table/document.ts'
import type {
  FoundTemplate,
  PinnedTemplate,
  TemplateFields
} from '../../db/templates/table/product-templates.ts'
import { type FieldDemands, pageOf } from '../demands.ts'
import { badInput } from '../errors.ts'
import { field, later, query } from '../execution/fields.ts'
import { jsonPieces } from '../execution/json.ts'
import type { Reading } from '../execution/reading.ts'
import { compileSelection, type Select } from '../execution/select.ts'
import {
  fromCursor,
  type ListArguments,
  readNumber,
  readOrder,
  sizes,
  toConnection,
  toCursor,
  toNodeId
} from '../relay.ts'
import { selectedFields } from '../selection.ts'
import { revisions } from './revisions.ts'

const demands: FieldDemands = { items: pageOf(sizes.products), listsTemplates: true }

/** Resolves a Relay connection, Relay Cursor Connections Specification §4. */
export const products = query(demands, async (given: ListArguments, read, info) => {
  const { search, limit, order, backward } = toPageRequest(given, selectedFields(info))
  const plan = await read.plan(given.where)
  const exists = (beyond: Search | undefined) =>
    beyond !== undefined && later(async () => (await findPage(read.db, plan, beyond, 0, read)).more)
  const { matches, more } = await findPage(read.db, plan, search, limit, read)
  if (backward) matches.reverse()
  const edges = matches.map(match => ({ cursor: toCursor(order, match), node: match.template }))
  const pages = {
    hasNextPage: backward ? exists(searchBeyond(search, order, matches.at(-1))) : more,
    hasPreviousPage: backward ? more : exists(searchBeyond(search, reverseOrder(order), matches[0]))
  }
  return {
    ...toConnection(edges, pages),
    totalCount: later(() => countTemplates(read.db, plan, read)),
    totalCountUpTo: later(async ({ limit }: { limit: number }) =>
      countUpTo(read.db, plan, readNumber('limit', limit) as number, read)
    )
  }
})

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
      order: backward ? reverseOrder(order) : order,
      range: { after: backward ? ahead : behind, before: backward ? behind : ahead },
      fields
    },
    limit:
      readNumber('first', first, sizes.products.max) ??
      readNumber('last', last, sizes.products.max) ??
      sizes.products.default,
    order,
    backward
  }
}

/** Makes the search for what follows a page: after its end or, for an empty page, from its start. */
function searchBeyond(
  { range: { after: begin } }: Search,
  order: TemplateOrder,
  end: Position | undefined
): Search | undefined {
  const fields: TemplateFields = new Set()
  if (end) return { order, range: { after: end }, fields }
  return begin && { order, range: { from: begin }, fields }
}

/** Characters of a document that is written at once. Per turn, the executor completes ten of them with their aliases. */
const maxLengthAtOnce = 2 ** 13

/** By the nodes of a selection. They are the same for each template of a page, and each execution has new ones. */
const compiled = new WeakMap<object, Select>()

/** Documents are written as JSON, long ones one after another. The executor gets an empty value (`writeField`). */
export const ProductContents = {
  data: field((template: FoundTemplate, _given, read, info) => {
    if (template.data !== null) return template.data
    return later(async () => {
      read.result.writeField(info).add(JSON.stringify(await read.readDocument(template)))
      return ''
    })
  }),

  document: field((template: FoundTemplate, _given, read, info) => {
    const select = compiled.get(info.fieldNodes) ?? compileSelection(info)
    compiled.set(info.fieldNodes, select)
    if (template.data !== null && template.data.length <= maxLengthAtOnce) {
      const document = read.parseDocument(template.data)
      // Without a promise, because thousands of promises would take much memory.
      if (document) read.result.writeField(info).add(JSON.stringify(select(document)))
      return null
    }
    return later(async () => {
      const document = read.parseDocument(await read.readDocument(template))
      if (document) await read.result.writeField(info).addPieces(jsonPieces(select(document)))
      return null
    })
  }),

  hash: field((template: FoundTemplate, _given, read) =>
    template.data === null
      ? later(async () => computeHash(await read.readDocument(template), read))
      : computeHash(template.data, read)
  )
}

function computeHash(data: string, read: Reading): string {
  read.spend(data.length * readCostPerCharacter)
  return formatHash(hashOf(data))
}

export const ProductTemplate = {
  ...ProductContents,
  nodeId: ({ id }: FoundTemplate) => toNodeId('ProductTemplate', id),
  revisions
}

/** Reads the same fields of a template of a long list, which no resolver completes. */
export const readersOf = (read: Reading) =>
  ({
    data: ({ data }: PinnedTemplate) => data,
    document: ({ data }: PinnedTemplate) => read.parseDocument(data),
    hash: ({ data }: PinnedTemplate) => computeHash(data, read),
    nodeId: ProductTemplate.nodeId
  }) satisfies Record<Exclude<keyof typeof ProductTemplate, 'revisions'>, unknown>

/** A JSON value of a document. */
export const DocumentValue = new GraphQLScalarType({
  name: 'DocumentValue',
  // The same text as in schema.graphql, because Mercurius replaces the scalar of the schema with this one.
  description:
    'A JSON value of a document. Numbers have the precision of JavaScript, 53 bits. As an input: a string, an integer, a\n' +
    'boolean or a list of strings.',
  serialize: value => value,
  parseValue: parseInput,
  parseLiteral: node => parseInput(readLiteral(node))
})

function parseInput(value: unknown): unknown {
  const valid =
    ['string', 'boolean'].includes(typeof value) ||
    Number.isSafeInteger(value) ||
    (Array.isArray(value) && value.every(element => typeof element === 'string'))
  if (!valid)
    throw new GraphQLError('a DocumentValue is a string, an integer, a boolean or a list of strings')
  return value
}

function readLiteral(node: ValueNode): unknown {
  if (node.kind === Kind.STRING || node.kind === Kind.BOOLEAN) return node.value
  if (node.kind === Kind.INT) return Number(node.value)
  if (node.kind === Kind.LIST) return node.values.map(readLiteral)
  return undefined
}
