import type { WithDemands } from '../admission/demands.ts'
import type { Scoped } from '../admission/scopes.ts'
import { auditEvents } from './admin/audit-events.ts'
import { clientMutations, clientQueries } from './admin/clients.ts'
import { userMutations, userQueries } from './admin/users.ts'
import { BulkChange, bulkChange, bulkChanges } from './bulk-changes.ts'
import { templateReference } from './bulk-mutations.ts'
import { Change, changes, productChanged } from './changes.ts'
import { DocumentValue } from './document-value.ts'
import { allProducts, facets, searchSuggestion, traits } from './lists.ts'
import { ChangingPayload, Mutation as templateMutations } from './mutation.ts'
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
  viewer,
  auditEvents,
  ...clientQueries,
  ...userQueries
} satisfies Record<string, WithDemands>

const Subscription = { productChanged } satisfies Record<string, WithDemands>

const Mutation = {
  ...templateMutations,
  ...userMutations,
  ...clientMutations
} satisfies Record<string, WithDemands<Scoped>>

export const resolvers = {
  Query,
  Mutation,
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
