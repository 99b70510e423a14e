import { signal } from '@preact/signals'
import { fieldNames, type ProductTemplate as StoredTemplate } from '../../domain/columns.ts'
import type { ProductDocument, ProductTemplate, Trait } from '../../packages/client/schema.ts'
import { read, readField } from '../requests.ts'
import type { Layout } from './criteria.ts'

/** A template with the fields of its card. */
export interface Item extends Omit<RowItem, 'document' | 'timeCreated' | 'timeModified'> {
  document: (Pick<ProductDocument, 'image' | 'productId'> & { attributes: Omit<Trait, 'value'>[] }) | null
}

/** A template with the fields of its row in the table: all except the text of the document. */
export interface RowItem extends Omit<StoredTemplate, 'data'>, Pick<ProductTemplate, 'revision'> {
  document: Pick<ProductDocument, 'image' | 'description' | 'productId' | 'attributes'> | null
}

/** An entry of a list. */
export interface Entry<Node extends Item = Item> {
  id: number
  cursor: string
  /** Undefined if it was dropped because it is far from the screen. */
  item: Node | undefined
}

/** The fields and the page size of each layout. */
export const layoutQueries: Record<Layout, { fields: string; pageSize: number }> = {
  gallery: {
    fields: `id name componentName blockchainId maxItems publicProduct revision
      document { image productId attributes { traitType valueType text } }`,
    pageSize: 48
  },
  table: {
    fields: `${fieldNames.filter(field => field !== 'data').join(' ')} revision
      document { image description productId attributes { traitType value valueType text } }`,
    pageSize: 100
  }
}

/** Ids per request, and the maximum number of ids read together. */
const idsPerRequest = 100
export const maxIds = 1000

/** The highest count of a filter. One more is requested, to know whether there are more. */
export const maxCounted = 10_000
const countSearch = `totalCountUpTo(limit: ${maxCounted + 1})`

/** A page of a list. The counts are undefined if they were not requested. */
export interface Page<Node> {
  edges: { cursor: string; node: Node }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean }
  total?: number
  matching?: number
}

const pageQuery = (
  fields: string
): string => `query List($first: Int, $after: String, $last: Int, $before: String,
  $where: ProductTemplateFilter, $orderBy: ProductTemplateOrder, $all: Boolean!, $matching: Boolean!) {
  products(first: $first, after: $after, last: $last, before: $before, where: $where, orderBy: $orderBy) {
    edges { cursor node { ${fields} } }
    pageInfo { hasNextPage hasPreviousPage }
    total: totalCount @include(if: $all)
    matching: ${countSearch} @include(if: $matching)
  }
}`

/** Reads a page. With `all`, it has the number of all templates; with `matching`, the number of matches. */
export const readPage = <Node>(
  layout: Layout,
  variables: { all: boolean; matching: boolean; [name: string]: unknown },
  stop: AbortSignal
) => readField<Page<Node>>(pageQuery(layoutQueries[layout].fields), variables, stop)

/** Reads templates by their ids, optionally only those that match a filter. */
export async function readItems<Node>(
  fields: string,
  ids: number[],
  { where, stop }: { where?: object | undefined; stop?: AbortSignal }
): Promise<Node[]> {
  const items: Node[] = []
  for (let at = 0; at < Math.min(ids.length, maxIds); at += idsPerRequest) {
    const condition = { id: { in: ids.slice(at, at + idsPerRequest) } }
    const { nodes } = await readField<{ nodes: Node[] }>(
      `query Cards($where: ProductTemplateFilter) { products(first: ${idsPerRequest}, where: $where) { nodes { ${fields} } } }`,
      { where: { and: where ? [condition, where] : [condition] } },
      stop
    )
    items.push(...nodes)
  }
  return items
}

/** Counts all templates and those that match a filter, at most one more than `maxCounted`. */
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

/** The number of all templates; undefined until it is known. */
export const total = signal<number | undefined>(undefined)

/** Reads the number of all templates. */
export async function readTotal(): Promise<void> {
  total.value = (await countTemplates(undefined)).all
}
