import { invalidCursor, type ListArguments, readFirst, toConnection } from './relay.ts'

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
