import type { QueryField } from '../cost.ts'
import { allProducts } from './all-products.ts'
import { changes } from './changes.ts'
import { facets } from './facets.ts'
import { Mutation } from './mutation.ts'
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
  viewer
} satisfies Record<QueryField, unknown>

export const resolvers = { Query, Mutation, ProductTemplate, ProductRevision }
