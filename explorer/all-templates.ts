import { read } from './asking.ts'

/** As many as the service returns at once. */
export const atOnce = 100

interface Page<Node> {
  products: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string } }
}

/** Reads these fields of all templates that match, by pages, in the order of their ids. */
export async function* readTemplates<Node>(
  fields: readonly string[],
  where: object,
  stop?: AbortSignal
): AsyncGenerator<Node[]> {
  const query = `query Templates($first: Int, $after: String, $where: ProductTemplateFilter) {
    products(first: $first, after: $after, where: $where, orderBy: { field: ID, direction: ASC }) {
      nodes { ${fields.join(' ')} } pageInfo { hasNextPage endCursor } } }`
  for (let after: string | undefined, more = true; more; ) {
    const { products } = await read<Page<Node>>(query, { first: atOnce, after, where }, stop)
    yield products.nodes
    more = products.pageInfo.hasNextPage
    after = products.pageInfo.endCursor
  }
}
