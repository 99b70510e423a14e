import type { WithDemands } from '../admission/demands.ts'
import type { Scoped } from '../admission/scopes.ts'
import { BulkChange, bulkChange, bulkChanges } from './bulk-changes.ts'
import { templateReference } from './bulk-mutations.ts'
import { Change, changes, productChanged } from './changes.ts'
import { DocumentValue } from './document-value.ts'
import { allProducts, facets, searchSuggestion, traits } from './lists.ts'
import { ChangingPayload, Mutation } from './mutation.ts'
import { node, nodes, viewer } from './node.ts'
import { product, revisionByHash } from './product.ts'
import { ProductContents, ProductTemplate, ProductTemplateConnection, products } from './products.ts'
import {
  ProductRevision,
  productRevision,
  productRevisions,
  RevisionAuthor,
  revisionDiff
} from './revisions.ts'

const Query = {
  allProducts,
  changes,
  facets,
  node,
  nodes,
  bulkChange,
  bulkChanges,
  product,
  productRevision,
  productRevisions,
  products,
  revisionByHash,
  revisionDiff,
  searchSuggestion,
  traits,
  viewer
} satisfies Record<string, WithDemands>

const Subscription = { productChanged } satisfies Record<string, WithDemands>

export const resolvers = {
  Query,
  Mutation: Mutation satisfies Record<string, WithDemands<Scoped>>,
  Subscription,
  DocumentValue,
  ProductTemplate,
  ProductContents,
  ProductTemplateConnection,
  UpdateProductPayload: ChangingPayload,
  RestoreProductPayload: ChangingPayload,
  ProductRevision,
  RevisionAuthor,
  BulkChange,
  Change,
  WrittenRevision: templateReference,
  UserError: templateReference
}
