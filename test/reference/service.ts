/**
 * The API in the simplest implementation: graphql-js executes over everything that is stored, and plain JavaScript
 * filters, sorts and pages it. It has no index, no plan and no cache, and writes JSON with `JSON.stringify` only.
 */
import { type DocumentNode, execute, type GraphQLResolveInfo } from 'graphql'
import { fromChangeCursor, toChangeCursor } from '../../db/cursors.ts'
import { defaultOrder, type Position, type TemplateOrder } from '../../db/templates/read/order.ts'
import { diffRevisions } from '../../domain/diff.ts'
import { formatHash, hashData, parseDocument } from '../../domain/document.ts'
import { fromCursor, readNumber, toCursor } from '../../graphql/relay.ts'
import { tryParseJson } from '../../runtime/json-values.ts'
import { schema } from '../graphql/generate.ts'
import { client } from '../support/service/service.ts'
import type { Contents, Template } from './contents.ts'
import { listFacets, listFieldFacets } from './facets.ts'
import { matches, type Where, words, wordsOf } from './filter.ts'
import { compare, positionOf, sortTemplates } from './order.ts'
import { suggestSearch } from './suggest.ts'

/** Executes an operation; returns the body of the response, and whether it has no errors. */
export async function answer(
  contents: Contents,
  document: DocumentNode,
  variableValues: Record<string, unknown>
): Promise<{ body: string; isWhole: boolean }> {
  const { data, errors } = await execute({
    schema,
    document,
    variableValues,
    contextValue: contents,
    fieldResolver
  })
  return { body: JSON.stringify({ data }), isWhole: errors === undefined }
}

// biome-ignore lint/suspicious/noExplicitAny: of the type that the schema gives them
type Resolver = (source: any, given: any, contents: Contents) => unknown

/** The only user and client of a round. */
const author = { name: 'Ada Byron', clientName: client.id }

/** The fields that are no values of their source. */
const resolvers: Record<string, Record<string, Resolver>> = {
  Query: {
    allProducts(_source, { where, orderBy, limit, offset }, contents) {
      const start = readNumber('offset', offset) ?? 0
      const count = readNumber('limit', limit) ?? Number.POSITIVE_INFINITY
      return select(contents, where, orderBy ?? defaultOrder).slice(start, start + count)
    },
    products: (_source, given, contents) => findPage(contents, given),
    product: (_source, { id }, contents) => contents.templates.find(template => template.id === id),
    productRevision: (_source, { id, number }, contents) => readRevision(contents, id, number),
    productRevisions: (_source, { id, ...given }, contents) => listRevisions(contents, id, given),
    revisionByHash(_source, { hash }, contents) {
      const [, hex] = /^(?:sha256:)?([0-9a-f]{8,64})$/.exec(hash) ?? []
      if (!hex) throw new Error('invalid hash')
      const made = contents.revisions.map(each => contents.pinned(each.template_id, each.number))
      const found = made.findLast(template => template && hashData(template.data).startsWith(hex))
      return found && readRevision(contents, found.id, found.revision)
    },
    node: (_source, { nodeId }, contents) => readNode(contents, nodeId),
    nodes: (_source, { nodeIds }, contents) => nodeIds.map((nodeId: string) => readNode(contents, nodeId)),
    revisionDiff(_source, { id, from, to }, contents) {
      const [before, after] = [contents.pinned(id, from), contents.pinned(id, to)]
      return before && after && diffRevisions(before, after)
    },
    traits: (_source, { where, types, first }, contents) =>
      listFacets(select(contents, where, defaultOrder), types, readNumber('first', first, 100) ?? 10),
    facets: (_source, { where, fields, first }, contents) =>
      listFieldFacets(select(contents, where, defaultOrder), fields, readNumber('first', first, 100) ?? 10),
    searchSuggestion: (_source, { search }, contents) =>
      suggestSearch(contents.templates.flatMap(wordsOf), [...new Set(words(search))]),
    changes: (_source, given, contents) => listChanges(contents, given),
    viewer: (_source, _given, { rule }) => ({
      ...author,
      email: null,
      scopes: ['read', 'write'],
      role: 'publisher',
      where: rule && JSON.stringify(rule)
    })
  },
  ProductContents: {
    document: ({ data }) => parseDocument(data),
    hash: ({ data }) => formatHash(hashData(data))
  },
  ProductTemplate: {
    nodeId: ({ id }) => encode(JSON.stringify(['ProductTemplate', id])),
    document: ({ data }) => parseDocument(data),
    hash: ({ data }) => formatHash(hashData(data)),
    revisions: ({ id }, given, contents) => listRevisions(contents, id, given)
  },
  ProductTemplateConnection: {
    totalCountUpTo: ({ totalCount }, { limit }) => Math.min(totalCount, readNumber('limit', limit) ?? 0)
  }
}

/** The fields of queries that the reference answers. It refuses those of administration, as the service does. */
export const queryFields = Object.values(schema.getQueryType()?.getFields() ?? {})
  .filter(({ name, description }) => resolvers.Query?.[name] || description?.includes('scope `admin`'))
  .map(({ name }) => name)

const fieldResolver = (
  source: Record<string, unknown>,
  given: object,
  contents: Contents,
  { parentType, fieldName }: GraphQLResolveInfo
): unknown => {
  const resolve = resolvers[parentType.name]?.[fieldName]
  return resolve ? resolve(source, given, contents) : source[fieldName]
}

const select = ({ templates }: Contents, where: Where | null | undefined, order: TemplateOrder) =>
  sortTemplates(
    templates.filter(template => matches(template, where ?? {})),
    order
  )

interface PageArguments {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
  where?: Where | null
  orderBy?: TemplateOrder | null
}

function findPage(contents: Contents, given: PageArguments) {
  const order = given.orderBy ?? defaultOrder
  const all = select(contents, given.where, order)
  const limit = readNumber('first', given.first, 100) ?? readNumber('last', given.last, 100) ?? 50
  const [after, before] = [fromCursor(given.after, order), fromCursor(given.before, order)]
  const place = (template: Template, position: Position) =>
    compare(positionOf(template, order), position, order)
  const within = all.filter(
    each => (!after || place(each, after) > 0) && (!before || place(each, before) < 0)
  )
  const isForward = given.last == null
  const page = isForward ? within.slice(0, limit) : within.slice(Math.max(0, within.length - limit))
  const more = within.length > page.length
  // What is before or after an empty page is at its cursor or beyond.
  const isPreceded = page[0] ? all[0] !== page[0] : after && all.some(each => place(each, after) <= 0)
  const isFollowed = page[0]
    ? all.at(-1) !== page.at(-1)
    : before && all.some(each => place(each, before) >= 0)
  const cursor = (template: Template) => toCursor(order, positionOf(template, order))
  return toConnection(page, cursor, {
    hasNextPage: isForward ? more : Boolean(isFollowed),
    hasPreviousPage: isForward ? Boolean(isPreceded) : more,
    totalCount: all.length
  })
}

interface FirstArguments {
  first?: number | null
  after?: string | null
}

function listRevisions(contents: Contents, id: number, { first, after }: FirstArguments) {
  const limit = readNumber('first', first, 100) ?? 20
  const [, before] = after == null ? [] : (/^revision:([1-9]\d*)$/.exec(decode(after)) ?? [])
  if (after != null && before === undefined) throw new Error('invalid cursor')
  let rest = contents.revisions
    .filter(each => each.template_id === id && each.number < Number(before ?? Number.POSITIVE_INFINITY))
    .sort((one, other) => other.number - one.number)
  const seen = (page: typeof rest) => page.flatMap(({ number }) => readRevision(contents, id, number) ?? [])
  // A page begins with a revision that the caller sees.
  while (rest.length > 0 && seen(rest.slice(0, 1)).length === 0) rest = rest.slice(1)
  const page = rest.slice(0, limit)
  const nodes = seen(page)
  const cursor = ({ number }: { number: number }) => encode(`revision:${number}`)
  const pages = { hasNextPage: rest.length > limit, hasPreviousPage: after != null }
  return toConnection(nodes, cursor, pages, page.at(-1))
}

function readRevision(contents: Contents, templateId: number, number: number) {
  const found = contents.revisions.find(each => each.template_id === templateId && each.number === number)
  if (!found) return undefined
  const { action, subject, client_id: clientId, message, time_recorded: time } = found
  if (!contents.pinned(templateId, action === 'DELETE' ? number - 1 : number)) return undefined
  return {
    templateId,
    number,
    action,
    subject,
    clientId,
    message,
    time,
    isLatest: !contents.revisions.some(each => each.template_id === templateId && each.number > number),
    nodeId: encode(JSON.stringify(['ProductRevision', templateId, number])),
    author: clientId && {
      ...author,
      nodeId: encode(JSON.stringify(['RevisionAuthor', subject, clientId, found.author_name]))
    },
    ...contentsOf(contents, templateId, number)
  }
}

function readNode(contents: Contents, nodeId: string) {
  const parsed = tryParseJson(decode(nodeId))
  const [__typename, first, second] = Array.isArray(parsed) ? parsed : []
  const found =
    __typename === 'ProductTemplate'
      ? contents.templates.find(({ id }) => id === first)
      : __typename === 'ProductRevision'
        ? readRevision(contents, first, second)
        : undefined
  return found && { ...found, __typename }
}

function listChanges(contents: Contents, { first, after }: FirstArguments) {
  const limit = readNumber('first', first, 1000) ?? 100
  const start = after == null ? 0 : fromChangeCursor(after)
  if (start === undefined || start > contents.revisions.length) throw new Error('invalid cursor')
  const all = contents.revisions.map(({ template_id: id, number, time_recorded: time }, index) => {
    const [was, is] = [contents.pinned(id, number - 1), contents.pinned(id, number)]
    return {
      templateId: id,
      revision: number,
      time,
      position: index + 1,
      cursor: toChangeCursor(index + 1),
      action: is ? (was ? 'UPDATE' : 'INSERT') : was ? 'DELETE' : 'HIDDEN',
      ...contentsOf(contents, id, number)
    }
  })
  const page = all.slice(start, start + limit)
  const shown = page.filter(({ action }) => action !== 'HIDDEN')
  const cursor = ({ position }: { position: number }) => toChangeCursor(position)
  const pages = { hasNextPage: all.length > start + limit, hasPreviousPage: start > 0 }
  return toConnection(shown, cursor, { ...pages, latestCursor: toChangeCursor(all.length) }, page.at(-1))
}

/** What a revision has of the template; nothing for a deletion. */
function contentsOf(contents: Contents, id: number, number: number) {
  const product = contents.pinned(id, number)
  return { contents: product, hash: product && formatHash(hashData(product.data)) }
}

const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()
const encode = (text: string): string => Buffer.from(text).toString('base64url')

function toConnection<Node>(
  nodes: Node[],
  cursor: (node: Node) => string,
  { hasNextPage, hasPreviousPage, ...more }: Record<string, unknown>,
  last = nodes.at(-1)
) {
  const edges = nodes.map(node => ({ node, cursor: cursor(node) }))
  const [startCursor, endCursor] = [edges[0]?.cursor, last && cursor(last)]
  return { edges, nodes, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor }, ...more }
}
