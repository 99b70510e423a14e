import type { TypedDocument } from './document.ts'
import type { RequestOptions } from './operations.ts'
import { readPages } from './pages.ts'
import type { PageInfo, ProductTemplate, ProductTemplateFilter, ProductTemplateOrder } from './schema.ts'
import { type Exact, type Select, type Selected, writeSelection } from './select.ts'

/** Sends an operation and returns `data`. */
type Send = (document: string, variables: object, options: RequestOptions) => Promise<unknown>

const contract = {
  id: true,
  blockchainId: true,
  maxItems: true,
  name: true,
  publicProduct: true,
  componentName: true,
  timeCreated: true,
  timeModified: true,
  data: true
} as const

/** The fields that are read without `select`. */
export type Contract = typeof contract

/** The selected fields of a template: an object, or a fragment of gql.tada or graphql-codegen. */
type ProductSelection<Selection> = Selection extends TypedDocument
  ? Selection
  : Selection & Exact<ProductTemplate, Selection>

export type AnySelection = Select<ProductTemplate> | TypedDocument

/** A template with the selected fields. */
export type Product<Selection = Contract> =
  Selection extends TypedDocument<infer Result, never> ? Result : Selected<ProductTemplate, Selection>

export interface ProductOptions<Selection> {
  /** Default: the nine fields of the contract. */
  select?: ProductSelection<Selection>
  signal?: AbortSignal | undefined
}

export interface ProductsOptions<Selection> {
  /** Default: the nine fields of the contract. */
  select?: ProductSelection<Selection>
  where?: ProductTemplateFilter | undefined
  orderBy?: ProductTemplateOrder | undefined
  /** The page size, at most 100. */
  first?: number
  /** The `pageInfo.endCursor` of the previous page. */
  after?: string | undefined
  signal?: AbortSignal | undefined
}

/** A page of templates. */
export interface ProductPage<Selection> {
  nodes: Product<Selection>[]
  pageInfo: PageInfo
}

export async function readProduct<Selection>(
  send: Send,
  id: number,
  { select = contract as never, signal }: ProductOptions<Selection> = {}
): Promise<Product<Selection> | null> {
  const { fields, fragments } = writeSelection(select as object)
  const query = `query Product($id:Int!){product(id:$id){${fields}}}${fragments}`
  const { product } = (await send(query, { id }, { signal })) as { product: Product<Selection> | null }
  return product
}

export async function readProducts<Selection>(
  send: Send,
  { select = contract as never, signal, ...variables }: ProductsOptions<Selection> = {}
): Promise<ProductPage<Selection>> {
  const { fields, fragments } = writeSelection(select as object)
  const query = `query Products($where:ProductTemplateFilter$orderBy:ProductTemplateOrder$first:Int$after:String){products(where:$where orderBy:$orderBy first:$first after:$after){nodes{${fields}}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}${fragments}`
  const { products } = (await send(query, variables, { signal })) as { products: ProductPage<Selection> }
  return products
}

/**
 * Yields all matching templates. The default order is by id, because it never changes: no template is skipped or
 * repeated.
 */
export async function* eachProduct<Selection>(
  send: Send,
  { orderBy = { field: 'ID', direction: 'ASC' }, first = 100, ...options }: ProductsOptions<Selection> = {}
): AsyncGenerator<Product<Selection>, void, undefined> {
  const read = (after: string | undefined) =>
    readProducts<Selection>(send, { ...options, orderBy, first, after } as ProductsOptions<Selection>)
  for await (const { nodes } of readPages(read, options.after)) yield* nodes
}
