import { readField } from './requests.ts'
import type { Page } from './ui/use-read.ts'

/** The service's maximum page size. */
export const maxPageSize = 100

/** Reads a list page by page, as long as the caller wants more. */
export async function* readPages<Node>(
  load: (after: string | null) => Promise<Page<Node>>
): AsyncGenerator<Node[]> {
  for (let after: string | null = null, more = true; more; ) {
    const { nodes, pageInfo }: Page<Node> = await load(after)
    yield nodes
    more = pageInfo.hasNextPage
    after = pageInfo.endCursor
  }
}

/** Reads the given fields of all matching templates in pages, ordered by id. */
export function readTemplates<Node>(
  fields: readonly string[],
  where: object,
  stop?: AbortSignal
): AsyncGenerator<Node[]> {
  const query = `query Templates($first: Int, $after: String, $where: ProductTemplateFilter) {
    products(first: $first, after: $after, where: $where, orderBy: { field: ID, direction: ASC }) {
      nodes { ${fields.join(' ')} } pageInfo { hasNextPage endCursor } } }`
  return readPages<Node>(after => readField(query, { first: maxPageSize, after, where }, stop))
}
