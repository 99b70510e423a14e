import { signal } from '@preact/signals'
import { read } from '../asking.ts'

/** A template as its card shows it. */
export interface Item {
  id: number
  name: string
  componentName: string
  blockchainId: number
  maxItems: number
  publicProduct: boolean
  revision: number
  document: { image: string | null } | null
}

export const cardFields =
  'id name componentName blockchainId maxItems publicProduct revision document { image }'

/** Templates that are read by their ids in one request, and at most. */
const atOnce = 100
const mostIds = 1000

/** Up to this number, the matches of a search are counted. One more is asked for, to know whether there are more. */
export const mostCounted = 10_000
export const countSearch = `totalCountUpTo(limit: ${mostCounted + 1})`

/** Reads templates by their ids: those that match a filter. */
export async function readItems(
  ids: number[],
  where: object | undefined,
  stop?: AbortSignal
): Promise<Item[]> {
  const items: Item[] = []
  for (let at = 0; at < Math.min(ids.length, mostIds); at += atOnce) {
    const condition = { id: { in: ids.slice(at, at + atOnce) } }
    const { products } = await read<{ products: { nodes: Item[] } }>(
      `query Cards($where: ProductTemplateFilter) { products(first: ${atOnce}, where: $where) { nodes { ${cardFields} } } }`,
      { where: { and: where ? [condition, where] : [condition] } },
      stop
    )
    items.push(...products.nodes)
  }
  return items
}

/** Counts the templates that match a filter, up to one more than `mostCounted`, and all. */
export async function countTemplates(
  where: object | undefined,
  stop?: AbortSignal
): Promise<{ matching: number; all: number }> {
  const { matching, all } = await read<Record<'matching' | 'all', { count: number }>>(
    `query Count($where: ProductTemplateFilter) {
      matching: products(first: 1, where: $where) { count: ${countSearch} } all: products(first: 1) { count: totalCount } }`,
    { where },
    stop
  )
  return { matching: where ? matching.count : all.count, all: all.count }
}

/** Number of all templates, once it is known. */
export const total = signal<number | undefined>(undefined)

/** Reads the number of all templates, if no list has yet. */
export async function readTotal(): Promise<void> {
  total.value ??= (await countTemplates(undefined)).all
}
