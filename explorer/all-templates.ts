import { read } from './requests.ts'

/** The service's maximum page size. */
export const maxPageSize = 100

interface Page<Node> {
  products: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
}

/** Reads the given fields of all matching templates in pages, ordered by id. */
export async function* readTemplates<Node>(
  fields: readonly string[],
  where: object,
  stop?: AbortSignal
): AsyncGenerator<Node[]> {
  const query = `query Templates($first: Int, $after: String, $where: ProductTemplateFilter) {
    products(first: $first, after: $after, where: $where, orderBy: { field: ID, direction: ASC }) {
      nodes { ${fields.join(' ')} } pageInfo { hasNextPage endCursor } } }`
  for (let after: string | undefined, more = true; more; ) {
    const { products } = await read<Page<Node>>(query, { first: maxPageSize, after, where }, stop)
    yield products.nodes
    more = products.pageInfo.hasNextPage
    after = products.pageInfo.endCursor
  }
}
