/** Relay's specifications: the arguments of lists, cursors, connections and node ids. */
import { between, integer, number, string, tuple } from 'decoders'
import type { FilterInput } from '../db/templates/filter/filter.ts'
import { toStorable } from '../db/templates/filter/keys.ts'
import {
  defaultOrder,
  isByTrait,
  orders,
  type Position,
  type TemplateOrder
} from '../db/templates/read/order.ts'
import { isInt, maxInt } from '../domain/columns.ts'
import { toStoredTime } from '../domain/timestamp.ts'
import { hasMoreCharacters } from '../runtime/characters.ts'
import { tryParseJson } from '../runtime/json-values.ts'
import { either } from '../runtime/validator.ts'
import type { SelectedField } from './admission/demands.ts'
import { badInput } from './errors.ts'

/** Sizes of pages and other lists: the default if the argument is absent, and the maximum. */
export const listSizes = {
  products: { default: 50, max: 100 },
  changes: { default: 100, max: 1000 },
  revisions: { default: 20, max: 100 },
  bulkChanges: { default: 20, max: 100 },
  revisionsOfBulkChange: { default: 100, max: 1000 },
  /** Values per trait. */
  values: { default: 10, max: 100 }
} as const

/** Arguments of lists; null counts as absent. */
export interface ListArguments {
  where?: FilterInput | null
  orderBy?: TemplateOrder | null
  first?: number | null
  after?: string | null
  last?: number | null
  before?: string | null
  limit?: number | null
  offset?: number | null
}

/** Returns a numeric argument; null counts as absent. Throws BAD_USER_INPUT unless it is from 0 to `max`. */
export function readNumber(
  name: string,
  value: number | null | undefined,
  max: number = maxInt
): number | undefined {
  if (value === null || value === undefined) return undefined
  if (value < 0 || value > max) throw badInput(`${name} must be a number from 0 to ${max}`)
  return value
}

/** Returns the length of a page or another list. Throws BAD_USER_INPUT if it is out of range. */
export const readFirst = (first: number | null | undefined, size: { default: number; max: number }): number =>
  readNumber('first', first, size.max) ?? size.default

/** Makes a function that computes the number of items of a page, from the arguments of its field. */
export const pageOf =
  (size: { default: number; max: number }) =>
  ({ args: { first, last } }: Pick<SelectedField, 'args'>): number =>
    limitSize(first ?? last, size)

/** Returns the requested size, limited to the range. When it runs, the field refuses a size out of range. */
export const limitSize = (value: unknown, size: { default: number; max: number }): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : size.default), size.max)

/** Characters of the name of a trait to order by, as in `where`. Each cursor of a page has the name. */
const maxTraitLength = 1000

/** Returns the order to read in. Throws BAD_USER_INPUT if the name of its trait is too long. */
export function readOrder(orderBy: TemplateOrder | null | undefined): TemplateOrder {
  if (hasMoreCharacters(orderBy?.trait ?? '', maxTraitLength))
    throw badInput(`orderBy.trait has more than ${maxTraitLength} characters`)
  return orderBy ?? defaultOrder
}

/** The field or trait of the order, its direction, the sort key and the id. */
const Cursor = tuple(
  string,
  string,
  either(string, integer, tuple(number, string)),
  between(0, maxInt, integer)
)

const invalidCursor = () => badInput('the cursor is not valid')

export const toCursor = (order: TemplateOrder, { key, id }: Position): string =>
  Buffer.from(JSON.stringify([nameOfOrder(order), order.direction, key, id])).toString('base64url')

/** Returns the field, or the trait. No field has a point. */
const nameOfOrder = (order: TemplateOrder): string =>
  isByTrait(order) ? `trait.${order.trait}` : order.field

/** Parses a cursor of templates; null counts as absent. Throws BAD_USER_INPUT if it is invalid or of another order. */
export function fromCursor(cursor: string | null | undefined, order: TemplateOrder): Position | undefined {
  if (cursor === null || cursor === undefined) return undefined
  const parsed = Cursor.value(tryParseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!parsed) throw invalidCursor()
  const [by, direction, key, id] = parsed
  if (by !== nameOfOrder(order) || direction !== order.direction)
    throw badInput('the cursor belongs to another orderBy')
  if (!isSortKey(order, key)) throw invalidCursor()
  return { key, id }
}

function isSortKey(order: TemplateOrder, key: Position['key']): key is Position['key'] {
  if (isByTrait(order)) return Array.isArray(key) && key[1] === toStorable(key[1])
  const { type } = orders[order.field]
  if (type === 'integer') return isInt(key)
  if (typeof key !== 'string') return false
  return type === 'time' ? key === toStoredTime(key) : key === toStorable(key)
}

/** Makes a Relay connection. Pass `endCursor` if a rule may have removed the last items of the page. */
export const toConnection = <Node, Pages extends object>(
  edges: { cursor: string; node: Node }[],
  pages: Pages,
  endCursor = edges.at(-1)?.cursor
) => ({
  edges,
  nodes: edges.map(({ node }) => node),
  pageInfo: { ...pages, startCursor: edges[0]?.cursor, endCursor }
})

/** A list that is read in pages. Its items are not templates. */
interface PagedList<Item, Node, Place> {
  size: { default: number; max: number }
  fromCursor(cursor: string): Place | undefined
  /** Reads the first items, or the first after a place. */
  read(limit: number, after: Place | undefined): Promise<Item[]>
  toCursor(item: NoInfer<Item>): string
  /** Leaves out what the caller's rule hides, which may make the page shorter. */
  select?: ((page: NoInfer<Item>[]) => Promise<Item[]>) | undefined
  /** Makes a node of each item. */
  toNodes(items: NoInfer<Item>[]): Promise<Node[]>
}

/** Reads a page of a list. One item more than the page has tells whether more follow. */
export async function readPage<Item, Node, Place>(
  { first, after }: Pick<ListArguments, 'first' | 'after'>,
  { size, fromCursor, toCursor, read, select, toNodes }: PagedList<Item, Node, Place>
) {
  const limit = readFirst(first, size)
  const place = after == null ? undefined : fromCursor(after)
  if (after != null && place === undefined) throw invalidCursor()
  const items = await read(limit + 1, place)
  const page = items.slice(0, limit)
  const visible = select ? await select(page) : page
  const nodes = await toNodes(visible)
  const edges = nodes.map((node, index) => ({ cursor: toCursor(visible[index] as Item), node }))
  const pages = {
    hasNextPage: items.length > limit,
    // 0 is the place before the first change.
    hasPreviousPage: place !== undefined && place !== 0
  }
  const end = page.at(-1)
  return toConnection(edges, pages, end && toCursor(end))
}

/** The types with a `nodeId`, Relay "Global Object Identification", and the key that it is made from. */
interface Keys {
  ProductTemplate: [id: number]
  ProductRevision: [templateId: number, number: number]
  RevisionAuthor: [subject: string | null, clientId: string, name: string | null]
}

/** Makes the `nodeId` of an object. */
export const toNodeId = <Type extends keyof Keys>(type: Type, ...key: Keys[Type]): string =>
  Buffer.from(JSON.stringify([type, ...key])).toString('base64url')

/** Parses a `nodeId` without checking the key; undefined if it is malformed. */
export function fromNodeId(nodeId: string): [type: string, ...key: unknown[]] | undefined {
  const parsed = tryParseJson(Buffer.from(nodeId, 'base64url').toString())
  return Array.isArray(parsed) && typeof parsed[0] === 'string' ? (parsed as [string]) : undefined
}
