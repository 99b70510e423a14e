import { signal } from '@preact/signals'
import { read } from '../asking.ts'
import type { RowItem } from '../gallery/items.ts'

interface Node {
  id: number
  revisions: { nodes: { number: number; author: { name: string } | null }[] }
}

/** Names that are kept in memory. */
const mostKept = 5000
/** Templates in one request. */
const atOnce = 50

const keyOf = (id: number, revision: number): string => `${id} ${revision}`

/** Who wrote a revision, by template and number; null if nobody did by a request. */
const authors = signal<ReadonlyMap<string, string | null>>(new Map())

/** The name of who changed a template last, once it is known. */
export const authorOf = ({ id, revision }: RowItem): string | null | undefined =>
  authors.value.get(keyOf(id, revision))

const query = `query Authors($ids: [Int!]) { products(first: ${atOnce}, where: { id: { in: $ids } }) {
  nodes { id revisions(first: 1) { nodes { number author { name } } } } } }`

/** Reads who changed templates last. Only for rows that are looked at: the service looks up each template. */
export async function readAuthors(items: RowItem[], stop: AbortSignal): Promise<void> {
  const unknown = items.filter(item => authorOf(item) === undefined)
  for (let at = 0; at < unknown.length; at += atOnce) {
    const ids = unknown.slice(at, at + atOnce).map(({ id }) => id)
    const { products } = await read<{ products: { nodes: Node[] } }>(query, { ids }, stop)
    const found = products.nodes.flatMap(({ id, revisions }) =>
      revisions.nodes.map(({ number, author }): [string, string | null] => [
        keyOf(id, number),
        author?.name ?? null
      ])
    )
    authors.value = new Map([...(authors.value.size > mostKept ? [] : authors.value), ...found])
  }
}
