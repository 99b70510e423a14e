import type { QueryField } from '../cost.ts'
import { auditEvents } from './admin/audit-events.ts'
import { clientMutations, clientQueries } from './admin/clients.ts'
import { userMutations, userQueries } from './admin/users.ts'
import { allProducts } from './all-products.ts'
import { changes } from './changes.ts'
import { facets } from './facets.ts'
import { Mutation as templateMutations } from './mutation.ts'
import { product, productByHash } from './product.ts'
import { ProductTemplate } from './product-template.ts'
import { products } from './products.ts'
import { ProductRevision, revisionDiff } from './revisions.ts'
import { searchSuggestion } from './search-suggestion.ts'
import { traits } from './traits.ts'
import { viewer } from './viewer.ts'

const Query = {
  allProducts,
  changes,
  facets,
  product,
  productByHash,
  products,
  revisionDiff,
  searchSuggestion,
  traits,
  viewer,
  auditEvents,
  ...clientQueries,
  ...userQueries
} satisfies Record<QueryField, unknown>

const Mutation = { ...templateMutations, ...userMutations, ...clientMutations }

export const resolvers = { Query, Mutation, ProductTemplate, ProductRevision }
