import { initGraphQLTada } from 'gql.tada'
import type { DocumentValue, Json } from 'product-templates-client'
import type { introspection } from 'product-templates-client/introspection'

/** Documents with types, without a generated file: `npm install gql.tada graphql`. */
export const graphql = initGraphQLTada<{
  introspection: introspection
  scalars: { DocumentValue: DocumentValue; JSON: Json }
}>()

export type { FragmentOf, ResultOf, VariablesOf } from 'gql.tada'
export { readFragment } from 'gql.tada'
