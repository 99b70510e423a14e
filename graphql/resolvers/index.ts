import type { QueryField } from '../cost.ts'
import { allProducts } from './all-products.ts'
import { Change, changes } from './changes.ts'
import { facets } from './facets.ts'
import { Mutation } from './mutation.ts'
import { WrittenRevision } from './mutation-of-many.ts'
import { node, nodes } from './node.ts'
import { product, productByHash, revisionByHash } from './product.ts'
import { ProductContents, ProductTemplate } from './product-template.ts'
import { products } from './products.ts'
import {
  ProductRevision,
  productRevision,
  productRevisions,
  RevisionAuthor,
  revisionDiff
} from './revisions.ts'
import { searchSuggestion } from './search-suggestion.ts'
import { traits } from './traits.ts'
import { viewer } from './viewer.ts'

const Query = {
  allProducts,
  changes,
  facets,
  node,
  nodes,
  product,
  productByHash,
  productRevision,
  productRevisions,
  products,
  revisionByHash,
  revisionDiff,
  searchSuggestion,
  traits,
  viewer
} satisfies Record<QueryField, unknown>

export const resolvers = {
  Query,
  Mutation,
  ProductTemplate,
  ProductContents,
  ProductRevision,
  RevisionAuthor,
  Change,
  WrittenRevision
}
