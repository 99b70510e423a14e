import { readField } from './requests.ts'
import { pageInfo, readPages } from './ui/use-pages.ts'

/** The service's maximum page size. */
export const maxPageSize = 100

/** Reads the given fields of all matching templates in pages, ordered by id. */
export function readTemplates<Node>(
  fields: readonly string[],
  where: object,
  stop?: AbortSignal
): AsyncGenerator<Node[]> {
  const query = `query Templates($first: Int, $after: String, $where: ProductTemplateFilter) {
    products(first: $first, after: $after, where: $where, orderBy: { field: ID, direction: ASC }) {
      nodes { ${fields.join(' ')} } ${pageInfo} } }`
  return readPages<Node>(after => readField(query, { first: maxPageSize, after, where }, stop))
}
