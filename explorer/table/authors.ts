import { signal } from '@preact/signals'
import type { RowItem } from '../gallery/items.ts'
import { read } from '../requests.ts'

interface Node {
  id: number
  revisions: { nodes: { number: number; author: { name: string } | null }[] }
}

/** The maximum number of names in memory. */
const maxNames = 5000
/** Templates per request. */
const pageSize = 50

const keyOf = (id: number, revision: number): string => `${id} ${revision}`

/** The author of each revision, by template and number; null if the revision has no author. */
const authors = signal<ReadonlyMap<string, string | null>>(new Map())

/** Returns the author of the last change; undefined if it is unknown yet. */
export const authorOf = ({ id, revision }: RowItem): string | null | undefined =>
  authors.value.get(keyOf(id, revision))

const query = `query Authors($ids: [Int!]) { products(first: ${pageSize}, where: { id: { in: $ids } }) {
  nodes { id revisions(first: 1) { nodes { number author { name } } } } } }`

/** Reads the authors of the last changes. Only for visible rows, because the service looks up each template. */
export async function readAuthors(items: RowItem[], stop: AbortSignal): Promise<void> {
  const unknown = items.filter(item => authorOf(item) === undefined)
  for (let at = 0; at < unknown.length; at += pageSize) {
    const ids = unknown.slice(at, at + pageSize).map(({ id }) => id)
    const { products } = await read<{ products: { nodes: Node[] } }>(query, { ids }, stop)
    const found = products.nodes.flatMap(({ id, revisions }) =>
      revisions.nodes.map(({ number, author }): [string, string | null] => [
        keyOf(id, number),
        author?.name ?? null
      ])
    )
    authors.value = new Map([...(authors.value.size > maxNames ? [] : authors.value), ...found])
  }
}
