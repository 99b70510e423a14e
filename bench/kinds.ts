import { type Numbers, numberPlace, placeOf } from './load.ts'

/** A query whose text is the same in all requests. */
export interface Kind {
  title: string
  query: string
  variables?: Record<string, number>
  /** The variables that are random numbers. */
  numbers: Numbers
}

/** The number of templates with which the kinds are measured. */
export const kindTemplates = 20_000

/** The identifiers that `seed --load` gives: every seventh is skipped. */
const ids = Array.from({ length: kindTemplates }, (_, index) => index + Math.floor(index / 6))

const nine = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'

const list = (limit: number): Kind => ({
  title: `allProducts(limit: ${limit}, offset: $offset)`,
  query: `query List($limit: Int!, $offset: Int!) { allProducts(limit: $limit, offset: $offset) { ${nine} } }`,
  variables: { limit },
  numbers: { offset: Array.from({ length: 500 }, (_, offset) => offset) }
})

/** The kinds by their names in `--kinds`. */
export const kinds = {
  product: {
    title: 'product(id: $id)',
    query: `query Product($id: Int!) { product(id: $id) { ${nine} } }`,
    numbers: { id: ids }
  },
  page: {
    title: 'products(first: 10, where: { blockchainId: { equals: $blockchainId } })',
    query: `query Page($first: Int!, $blockchainId: Int!) {
      products(first: $first, where: { blockchainId: { equals: $blockchainId } }) { nodes { ${nine} } }
    }`,
    variables: { first: 10 },
    numbers: { blockchainId: [1, 2, 3, 4] }
  },
  'list-10': list(10),
  'list-100': list(100),
  'list-1000': list(1000)
} satisfies Record<string, Kind>

/**
 * The body has a number that the query does not declare. GraphQL ignores it, so the work is the same, but no body is
 * equal to an earlier one, and no answer comes from a cache.
 */
export function bodyOf({ query, variables, numbers }: Kind): string {
  const places = Object.fromEntries(Object.keys(numbers).map(name => [name, placeOf(name)]))
  return JSON.stringify({ query, variables: { ...variables, ...places, n: numberPlace } })
}
