// `npm run docs` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar `DocumentValue` in a response. */
export type DocumentValue = Json

/** A value of the scalar `DocumentValue` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null

/** An object with a global identifier: no two objects share a `nodeId`, whatever their types. */
export interface Node {
  /** Opaque and stable. */
  nodeId: string
}

/** The user and the client that send a request. */
export interface Viewer {
  /** First and last name of the user, or the name given by the token's issuer or the host; otherwise the client's name. */
  name: string
  /** E-mail address, with which the user logs in; null unless the token has the scope `profile`. */
  email: string | null
  /** Display name of the client, or its `client_id`. */
  clientName: string
  /** Scopes of the access token that the role of its user allows. */
  scopes: Array<string>
  /** Role of the user: `reader`, `editor`, `publisher` or `admin`; null if this service has no such user. */
  role: string | null
  /** Limits the templates that the caller may see and write: JSON text in the form of `where` of `products`; null: all. */
  where: string | null
}

/** The master record of a product: nine fields, one of them a JSON document. The NFTs of its items are minted from it. */
export interface ProductTemplate extends Node {
  /** Identifier of the template. Values are not contiguous and include 0. */
  id: number
  /** Identifier that is unique among all objects. */
  nodeId: string
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** Maximum number of items, a positive integer. */
  maxItems: number
  /** Display name of the template. */
  name: string
  /** Whether the template is public. */
  publicProduct: boolean
  /** Name of a UI component, such as `DefaultProduct` or `TrackingRecord`. */
  componentName: string
  /** Creation time: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  timeCreated: string
  /** Time of the last modification, in the same format. */
  timeModified: string
  /** The JSON document exactly as stored, including white space. */
  data: string
  /** `data` parsed into typed fields; null if `data` is not a JSON object. */
  document: ProductDocument | null
  /** Number of the current revision, starting at 1. Every change of the template adds a revision. */
  revision: number
  /** SHA-256 of the bytes of `data`: `sha256:` and 64 hexadecimal digits. */
  hash: string
  /** The revisions of the template, newest first. */
  revisions: ProductRevisionConnection
}

/** A page of bulk changes, newest first. */
export interface BulkChangeConnection {
  /** The bulk changes with their cursors. */
  edges: Array<BulkChangeEdge>
  /** The bulk changes without their cursors. */
  nodes: Array<BulkChange>
  /** Information for paging. */
  pageInfo: PageInfo
}

/** A bulk change and its cursor. */
export interface BulkChangeEdge {
  /** Cursor for `after`. */
  cursor: string
  /** The bulk change. */
  node: BulkChange
}

/** An import, or another write of many templates. Several requests with the same argument `bulkChange` are one. */
export interface BulkChange {
  /** A UUID. */
  id: string
  /** Kind of the write. Some of its revisions may be deletions, if it restored templates that did not exist before. */
  action: RevisionAction
  /** Names of the user and the client; null if no request wrote it. */
  author: RevisionAuthor | null
  /** Reason for the change, as its author gave it. */
  message: string | null
  /** Time of the first revision: UTC with microseconds. */
  time: string
  /** Number of revisions that the bulk change wrote. */
  count: number
  /** Number of these revisions that created a template, or restored it after a deletion. */
  created: number
  /** Number of these revisions that deleted a template. */
  deleted: number
  /**
   * Number of templates that undos have restored. `restoreProducts` is an undo if the latest revision of each template
   * belongs to this bulk change, and each is restored to its state directly before a revision of this bulk change. If the
   * bulk change wrote a template more than once, `undone` stays less than `count`.
   */
  undone: number
  /**
   * The bulk change that this one undoes, completely or in part; null if this one is no undo. A caller with a rule sees only
   * their own.
   */
  undoes: BulkChange | null
  /**
   * The latest undo of this bulk change, or of a part of it; null if there is none. A caller with a rule sees only their own
   * undos.
   */
  undoneBy: BulkChange | null
  /**
   * The revisions, in an order that never changes. To undo the bulk change, restore `number - 1` of each revision with
   * `isLatest`, with `number` as `expectedRevision`.
   */
  revisions: ProductRevisionConnection
}

/** A page of revisions. */
export interface ProductRevisionConnection {
  /** The revisions with their cursors. */
  edges: Array<ProductRevisionEdge>
  /** The revisions without their cursors. */
  nodes: Array<ProductRevision>
  /** Information for paging. */
  pageInfo: PageInfo
}

/** A revision and its cursor. */
export interface ProductRevisionEdge {
  /** Cursor for `after`. */
  cursor: string
  /** The revision. */
  node: ProductRevision
}

/** The contents of a template in one revision. It has no `id`, so that caches do not mix it up with the current template. */
export interface ProductContents {
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** Maximum number of items, a positive integer. */
  maxItems: number
  /** Display name of the template. */
  name: string
  /** Whether the template is public. */
  publicProduct: boolean
  /** Name of a UI component. */
  componentName: string
  /** Creation time: UTC with microseconds. */
  timeCreated: string
  /** Time of the last modification, in the same format. */
  timeModified: string
  /** The JSON document exactly as stored, including white space. */
  data: string
  /** `data` parsed into typed fields; null if `data` is not a JSON object. */
  document: ProductDocument | null
  /** SHA-256 of the bytes of `data`: `sha256:` and 64 hexadecimal digits. */
  hash: string
}

/** A revision of a template. It never changes. */
export interface ProductRevision extends Node {
  /** Identifier that is unique among all objects. */
  nodeId: string
  /** `id` of the template. */
  templateId: number
  /** Number of the revision. The revisions of a template start at 1 and have no gaps. */
  number: number
  /** What the revision did to the template. */
  action: RevisionAction
  /** SHA-256 of the bytes of `data`, as in `ProductTemplate.hash`; null for a deletion. */
  hash: string | null
  /** `sub` of the access token that wrote the revision; null if no request wrote it. */
  subject: string | null
  /** `client_id` of the access token that wrote the revision; null if no request wrote it. */
  clientId: string | null
  /** Names of the user and the client that wrote the revision; null if no request wrote it. */
  author: RevisionAuthor | null
  /** Reason for the change, as its author gave it. */
  message: string | null
  /** Time when the revision was written: UTC with microseconds. */
  time: string
  /** Whether this is the latest revision of the template: nobody has changed, deleted or restored the template since. */
  isLatest: boolean
  /** Contents of the template in this revision; null for a deletion. */
  contents: ProductContents | null
}

/** Who wrote a revision: a user, a client, or both. `node` does not return it to a caller with a rule. */
export interface RevisionAuthor extends Node {
  /** Identifier that is unique among all objects. */
  nodeId: string
  /** First and last name of the user. The client's name if there is no user, or the account was deleted or has no name. */
  name: string
  /** Display name of the client, or its `client_id`. */
  clientName: string
}

/** What a revision can do to a template. */
export type RevisionAction =
  /** The template was created. */
  | 'CREATE'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE'
  /** The contents of an earlier revision were restored. */
  | 'RESTORE'
  /** The template was imported. */
  | 'IMPORT'

/** The difference between two revisions of a template. Times are not compared. */
export interface RevisionDiff {
  /**
   * JSON Patch, RFC 6902, from the first to the second revision. If both `data` are JSON and differ in more than white
   * space, the patch is for the parsed `document`, otherwise for the text `data`. Null if the documents are nested too
   * deeply.
   */
  patch: Json | null
  /**
   * Unified diff of the same values, one line per value. Null if more than 700 lines differ, or if a document has more than
   * 65,536 lines or 2 MiB.
   */
  text: string | null
}

/** The document in `data`. A field is null if its key is absent or has a value of another type. */
export interface ProductDocument {
  /** An integer, a numeric string or an empty string. */
  productId: DocumentValue | null
  /** Free text; may contain line breaks. */
  description: string | null
  /** A URL or an empty string. */
  externalUrl: string | null
  /** URL of the image. */
  image: string | null
  /** Display name in the document; may differ from the name of the template. */
  name: string | null
  /** Name of a UI component; may be empty. */
  component: string | null
  /** The traits in document order. Entries without a name are omitted. */
  attributes: Array<Trait>
}

/** A trait of a document: an entry of its `attributes`. */
export interface Trait {
  /** Name of the trait, such as `MadeIn`. */
  traitType: string
  /** The JSON value; null if absent. */
  value: DocumentValue | null
  /** Type of `value`. */
  valueType: TraitValueType
  /** The value formatted for display: list elements separated by commas, empty if absent. */
  text: string
}

/** Type of a trait's value. */
export type TraitValueType =
  /** A string. */
  | 'STRING'
  /** An integer. */
  | 'INTEGER'
  /** A boolean. */
  | 'BOOLEAN'
  /** A list of strings. */
  | 'ARRAY'
  /** The entry has no `value`. */
  | 'ABSENT'
  /** Anything else: null, a fraction, an object, a list with elements other than strings. */
  | 'OTHER'

/** A page of templates. */
export interface ProductTemplateConnection {
  /** The templates with their cursors. */
  edges: Array<ProductTemplateEdge>
  /** The templates without their cursors. */
  nodes: Array<ProductTemplate>
  /** Information for paging. */
  pageInfo: PageInfo
  /** Number of templates that match `where`, across all pages. Computed only if selected. */
  totalCount: number
  /**
   * Number of templates that match `where`, counted only up to `limit`: the result `limit` means `limit` or more. Faster than
   * `totalCount` in a large store.
   */
  totalCountUpTo: number
}

/** A template and its cursor. */
export interface ProductTemplateEdge {
  /** Cursor for `after` and `before`. */
  cursor: string
  /** The template. */
  node: ProductTemplate
}

/** Information for paging. */
export interface PageInfo {
  /** Whether more items follow this page. When paging forward, only those before the `before` cursor count. */
  hasNextPage: boolean
  /** Whether more items precede this page. When paging backward, only those after the `after` cursor count. */
  hasPreviousPage: boolean
  /** Cursor of the first edge; null if the page is empty. */
  startCursor: string | null
  /** Cursor of the last edge; null if the page is empty. */
  endCursor: string | null
}

/** Sort order of templates. Ties are ordered by id, in the same direction. */
export interface ProductTemplateOrder {
  /** Field to sort by. */
  field?: ProductTemplateOrderField | undefined
  /**
   * Name of a trait to sort by, instead of `field`; at most 1000 characters. Numbers, even those in text, come before other
   * values; those are ordered by code point. `DESC` reverses this. In both directions, templates without the trait come last. A list
   * is sorted by the element that comes first by code point, and a long value by its first 40 characters. Unlike a field, a
   * trait is read from every template that matches.
   */
  trait?: string | null | undefined
  /** Sort direction. */
  direction?: OrderDirection | undefined
}

/** Fields to sort templates by. */
export type ProductTemplateOrderField =
  /** Time of the last modification. */
  | 'TIME_MODIFIED'
  /** Creation time. */
  | 'TIME_CREATED'
  /** Display name, case-insensitive, by code point; only the first 100 characters are compared. */
  | 'NAME'
  /** Identifier. */
  | 'ID'
  /** UI component, by code point. */
  | 'COMPONENT_NAME'
  /** Number of the blockchain. */
  | 'BLOCKCHAIN_ID'
  /** Whether the template is public; templates that are not come first. */
  | 'PUBLIC_PRODUCT'
  /** Maximum number of items. */
  | 'MAX_ITEMS'

/** Sort direction. */
export type OrderDirection =
  /** Smallest or oldest first. */
  | 'ASC'
  /** Largest or newest first. */
  | 'DESC'

/**
 * Conditions on templates; a template matches if all of them hold. Queries ignore null conditions. Mutations refuse null,
 * a part without a condition, and an empty list within `not`; only `{}` as the whole filter is accepted, and means all
 * templates. A filter may have 500 conditions, and 10 levels of `and`, `or` and `not`: each value and each filter within
 * these counts as one condition, and each word of `search` as ten.
 */
export interface ProductTemplateFilter {
  /** Condition on the identifier. */
  id?: IntFilter | null | undefined
  /** Condition on the display name. */
  name?: NameFilter | null | undefined
  /** Condition on the UI component. */
  componentName?: StringFilter | null | undefined
  /** Condition on the blockchain. */
  blockchainId?: IntFilter | null | undefined
  /** Condition on whether the template is public. */
  publicProduct?: BooleanFilter | null | undefined
  /** Condition on the maximum number of items. */
  maxItems?: IntFilter | null | undefined
  /** Condition on the creation time. */
  timeCreated?: TimeFilter | null | undefined
  /** Condition on the time of the last modification. */
  timeModified?: TimeFilter | null | undefined
  /** Condition on `productId` of the document; a number counts as its text. */
  productId?: StringFilter | null | undefined
  /** Condition on a trait of the document. Use `and` for several traits. */
  trait?: TraitFilter | null | undefined
  /**
   * Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait.
   * Only letters and digits count; case and accents are ignored. `out1003` finds `OUT-1003`. At most 1000 characters.
   */
  search?: string | null | undefined
  /** All of these filters match. An empty list is ignored. */
  and?: ReadonlyArray<ProductTemplateFilter> | null | undefined
  /** At least one of these filters matches. An empty list matches nothing. */
  or?: ReadonlyArray<ProductTemplateFilter> | null | undefined
  /** This filter does not match. */
  not?: ProductTemplateFilter | null | undefined
}

/** Conditions on an integer. */
export interface IntFilter {
  /** Equal to this. */
  equals?: number | null | undefined
  /** Equal to one of these. */
  in?: ReadonlyArray<number> | null | undefined
  /** Greater than this. */
  gt?: number | null | undefined
  /** Greater than or equal to this. */
  gte?: number | null | undefined
  /** Less than this. */
  lt?: number | null | undefined
  /** Less than or equal to this. */
  lte?: number | null | undefined
}

/** Conditions on a string, case-sensitive. */
export interface StringFilter {
  /** Equal to this. */
  equals?: string | null | undefined
  /** Equal to one of these. */
  in?: ReadonlyArray<string> | null | undefined
}

/** Conditions on a name. */
export interface NameFilter {
  /** Equal to this, case-sensitive. */
  equals?: string | null | undefined
  /** Equal to one of these, case-sensitive. */
  in?: ReadonlyArray<string> | null | undefined
  /** Contains this, case-insensitive. */
  contains?: string | null | undefined
  /** Starts with this, case-insensitive. */
  startsWith?: string | null | undefined
}

/** Condition on a boolean. */
export interface BooleanFilter {
  /** Equal to this. */
  equals?: boolean | null | undefined
}

/** Conditions on a time. Times are in UTC: `YYYY-MM-DDTHH:MM:SSZ`, with up to six fractional digits. */
export interface TimeFilter {
  /** After this time. */
  gt?: string | null | undefined
  /** At or after this time. */
  gte?: string | null | undefined
  /** Before this time. */
  lt?: string | null | undefined
  /** At or before this time. */
  lte?: string | null | undefined
}

/** Conditions on a trait. With `type` alone, the document must have the trait. Case-sensitive. */
export interface TraitFilter {
  /** Name of the trait. */
  type: string
  /** The value is equal to this and of the same type: 7 is not "7". Null matches an absent or null value. */
  equals?: DocumentValueInput | null | undefined
  /** The value is equal to one of these. */
  in?: ReadonlyArray<DocumentValueInput | null> | null | undefined
  /** A string value contains this text, or a list has this element. */
  contains?: string | null | undefined
  /**
   * A number greater than this. Numbers in text and in lists count too: an integer of at most 16 digits, or at most 15
   * characters with a point, or with a comma before one or two decimals, such as `12,50`.
   */
  gt?: number | null | undefined
  /** A number greater than or equal to this. */
  gte?: number | null | undefined
  /** A number less than this. If there is also a lower bound, one number must be within both bounds. */
  lt?: number | null | undefined
  /** A number less than or equal to this. */
  lte?: number | null | undefined
  /**
   * A date within these bounds. Texts and elements of lists count if they are a date, or a date and a time such as
   * `2026-03-01T22:30:00-05:00`. A time counts as the date that is written, whatever its zone.
   */
  date?: DateFilter | null | undefined
  /** Whether the document has the trait. */
  exists?: boolean | null | undefined
}

/** Conditions on a date. Dates have the form `YYYY-MM-DD`. One date must meet all conditions. */
export interface DateFilter {
  /** After this date. */
  gt?: string | null | undefined
  /** On or after this date. */
  gte?: string | null | undefined
  /** Before this date. */
  lt?: string | null | undefined
  /** On or before this date. */
  lte?: string | null | undefined
}

/** A trait and its most frequent values. */
export interface TraitFacet {
  /** Name of the trait. Names over 100 characters are truncated and end in a hash; filters accept that form. */
  type: string
  /** The values, most frequent first. */
  values: Array<TraitFacetValue>
  /**
   * The numbers among the values, even those in text: ten ranges of equal width from the least to the greatest number, or
   * one range if all numbers are equal. Empty if no value is a number.
   */
  numbers: Array<NumberRange>
}

/** A range of numbers. Its upper end belongs to the next range. */
export interface NumberRange {
  /** Lower end. */
  from: number
  /** Upper end. The last range ends with the greatest number and includes it. */
  to: number
  /** Number of templates with a number in the range. */
  count: number
}

/** A field of templates whose values can be counted. */
export type FacetField =
  /** UI component. */
  | 'COMPONENT_NAME'
  /** Number of the blockchain. */
  | 'BLOCKCHAIN_ID'
  /** Whether the template is public. */
  | 'PUBLIC_PRODUCT'

/** A field and its most frequent values. */
export interface FieldFacet {
  /** The field. */
  field: FacetField
  /** The values, most frequent first. */
  values: Array<FieldFacetValue>
}

/** A value of a field. */
export interface FieldFacetValue {
  /** The value: a string, a number or a boolean. */
  value: DocumentValue
  /** Number of templates with this value. */
  count: number
}

/** A value of a trait. */
export interface TraitFacetValue {
  /** The value formatted for display. */
  text: string
  /** The value. Filter by it with `equals`, or with `contains` if `valueType` is `ARRAY`. */
  value: DocumentValue | null
  /** Type of `value`; `ARRAY` for an element of a list. */
  valueType: TraitValueType
  /** Number of templates with this value. */
  count: number
}

/** The values of a new template. Either `data` or `document` is required. */
export interface CreateProductInput {
  /** Identifier, at least 0; by default one higher than any ever used. */
  id?: number | null | undefined
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** Maximum number of items, a positive integer. */
  maxItems: number
  /** Display name of the template. */
  name: string
  /** Whether the template is public. */
  publicProduct?: boolean | undefined
  /** Name of a UI component. A `TrackingRecord` has only the traits `ProductType` and `UnitsProduced`. */
  componentName?: string | undefined
  /** The JSON document as a string. It is stored byte for byte. */
  data?: string | null | undefined
  /** The document in typed fields. The service writes `data` from it. */
  document?: ProductDocumentInput | null | undefined
}

/** New values of a template. Omitted and null fields stay unchanged. */
export interface UpdateProductInput {
  /** Identifier of the blockchain the template relates to. */
  blockchainId?: number | null | undefined
  /** Maximum number of items, a positive integer. */
  maxItems?: number | null | undefined
  /** Display name of the template. */
  name?: string | null | undefined
  /** Whether the template is public. */
  publicProduct?: boolean | null | undefined
  /** Name of a UI component. */
  componentName?: string | null | undefined
  /** The JSON document as a string. It is stored byte for byte. */
  data?: string | null | undefined
  /** The document in typed fields. It replaces the whole of `data`. */
  document?: ProductDocumentInput | null | undefined
}

/** A template to import. Either `data` or `document` is required. */
export interface ImportProductInput {
  /** Identifier, at least 0; by default one higher than any ever used. */
  id?: number | null | undefined
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** Maximum number of items, a positive integer. */
  maxItems: number
  /** Display name of the template. */
  name: string
  /** Whether the template is public. */
  publicProduct?: boolean | undefined
  /** Name of a UI component. */
  componentName?: string | undefined
  /** Creation time: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`; now if omitted. */
  timeCreated?: string | null | undefined
  /** Time of the last modification, in the same format; now if omitted. */
  timeModified?: string | null | undefined
  /** The JSON document as a string. It is stored byte for byte. */
  data?: string | null | undefined
  /** The document in typed fields. The service writes `data` from it. */
  document?: ProductDocumentInput | null | undefined
  /**
   * In mode `REPLACE`, the current revision that the stored template with this `id` must have. If somebody else has changed
   * or deleted the template, the error is `CONFLICT`.
   */
  expectedRevision?: number | null | undefined
}

/** What to do with a template whose `id` exists. */
export type ImportMode =
  /** The import fails with `ID_TAKEN`. */
  | 'CREATE'
  /** The existing template stays as it is. */
  | 'KEEP'
  /** The existing template is replaced, as a new revision. */
  | 'REPLACE'

/** A document in typed fields. Omitted and null fields are absent from `data`. */
export interface ProductDocumentInput {
  /** An integer, a numeric string or an empty string. */
  productId?: DocumentValueInput | null | undefined
  /** Free text; may contain line breaks. */
  description?: string | null | undefined
  /** A URL or an empty string. */
  externalUrl?: string | null | undefined
  /** URL of the image. */
  image?: string | null | undefined
  /** Display name in the document. */
  name?: string | null | undefined
  /** Name of a UI component; may be empty. */
  component?: string | null | undefined
  /** The traits, in this order. */
  attributes?: ReadonlyArray<TraitInput> | undefined
}

/** A trait of a document. */
export interface TraitInput {
  /** Name of the trait. */
  traitType: string
  /** The value; absent from `data` if omitted or null. */
  value?: DocumentValueInput | null | undefined
}

/** The change to make in each of many templates. Omitted and null fields stay unchanged. */
export interface ProductChangeInput {
  /** Identifier of the blockchain. */
  blockchainId?: number | null | undefined
  /** Maximum number of items, a positive integer. */
  maxItems?: number | null | undefined
  /** Display name of the template. */
  name?: string | null | undefined
  /** Whether the template is public. */
  publicProduct?: boolean | null | undefined
  /** Name of a UI component. */
  componentName?: string | null | undefined
  /** The JSON document as a string, which is stored byte for byte. Cannot be combined with `document`. */
  data?: string | null | undefined
  /** The document in typed fields. Cannot be combined with `data`. */
  document?: ProductDocumentInput | null | undefined
  /**
   * Traits to set. The rest of the document stays byte for byte. If a trait occurs several times, its first occurrence is
   * set. A new trait is added at the end.
   */
  setTraits?: ReadonlyArray<TraitInput> | undefined
  /** Names of traits to remove, wherever they occur. */
  removeTraits?: ReadonlyArray<string> | undefined
}

/** A template, and the revision of it to restore. */
export interface RestoreProductInput {
  /** The `id` of the template. */
  id: number
  /**
   * Number of the revision to restore. With `expectedRevision`, it may also be 0, the state before the first revision, or the
   * number of a deletion. The template is then deleted.
   */
  revision: number
  /** Number of the revision that must be current. Otherwise, nothing is written and the error is `CONFLICT`. */
  expectedRevision?: number | null | undefined
}

/** Result of `createProduct`. */
export interface CreateProductPayload {
  /** The new template; null if there are errors. */
  product: ProductTemplate | null
  /** The template as an edge of a list in the default order; null if there are errors. */
  productEdge: ProductTemplateEdge | null
  /** Why nothing was written; empty if the template was created. */
  userErrors: Array<UserError>
  /** Problems of the document that the service is configured to accept. */
  warnings: Array<UserError>
}

/** Result of `updateProduct`. */
export interface UpdateProductPayload {
  /** The template after the change. For a `CONFLICT`, the current template; null for other errors. */
  product: ProductTemplate | null
  /** The template as an edge of a list in the default order; null if there are errors. */
  productEdge: ProductTemplateEdge | null
  /** The changes made, or those that a dry run would make; null if nothing changed, or the template did not exist. */
  diff: RevisionDiff | null
  /** Why nothing was written; empty if the template was changed. */
  userErrors: Array<UserError>
  /** Problems of the document that the service is configured to accept. */
  warnings: Array<UserError>
}

/** Result of `deleteProduct`. */
export interface DeleteProductPayload {
  /** The template before its deletion. For a `CONFLICT`, the current template; null for other errors. */
  product: ProductTemplate | null
  /** `nodeId` of the deleted template; null if there are errors. */
  deletedNodeId: string | null
  /** Why nothing was deleted; empty if the template was deleted. */
  userErrors: Array<UserError>
}

/** Result of `restoreProduct`. */
export interface RestoreProductPayload {
  /** The template with the restored contents; null if there are errors. */
  product: ProductTemplate | null
  /** The template as an edge of a list in the default order; null if there are errors. */
  productEdge: ProductTemplateEdge | null
  /** The changes made, or those that a dry run would make; null if nothing changed, or the template did not exist. */
  diff: RevisionDiff | null
  /** Why nothing was written; empty if the template was restored. */
  userErrors: Array<UserError>
}

/** Result of `updateProducts`. */
export interface UpdateProductsPayload {
  /** Number of selected templates, changed or not; 0 if there are errors. */
  count: number
  /** The revisions that were written. A template that stays the same has none. */
  written: Array<WrittenRevision>
  /** Why nothing was written; empty if the templates were changed. */
  userErrors: Array<UserError>
  /** Problems of documents that the service is configured to accept. */
  warnings: Array<UserError>
}

/** Result of `deleteProducts`. */
export interface DeleteProductsPayload {
  /** Number of deleted templates; 0 if there are errors. */
  count: number
  /** The revisions that were written, without contents. */
  written: Array<WrittenRevision>
  /** `nodeId` of each deleted template. */
  deletedNodeIds: Array<string>
  /** Why nothing was deleted; empty if the templates were deleted. */
  userErrors: Array<UserError>
}

/** Result of `restoreProducts`. */
export interface RestoreProductsPayload {
  /** Number of selected templates, changed or not; 0 if there are errors. */
  count: number
  /** The revisions that were written. A template that already has the contents has none. */
  written: Array<WrittenRevision>
  /** Why nothing was written; empty if the templates were restored. */
  userErrors: Array<UserError>
}

/** A revision that was written. */
export interface WrittenRevision {
  /** The `id` of the template. */
  templateId: number
  /** Number of the revision. */
  revision: number
}

/** Result of `importProducts`. */
export interface ImportProductsPayload {
  /** The templates in the order of `input`; empty if there are errors, and in a dry run. */
  products: Array<ProductTemplate>
  /** Number of templates that were created. */
  created: number
  /** Number of templates that were replaced. */
  replaced: number
  /** Number of templates that existed with the same values. */
  unchanged: number
  /** Number of templates that existed and were kept. */
  kept: number
  /** Why nothing was written; empty if the templates were imported. */
  userErrors: Array<UserError>
  /** Problems of documents that the service is configured to accept. */
  warnings: Array<UserError>
}

/** An error that the caller can correct. */
export interface UserError {
  /** Kind of the error. */
  code: UserErrorCode
  /** A sentence for people. Of refused values, it repeats only ids and redirect URIs. */
  message: string
  /** Path of the refused value in the arguments, such as `input`, `data`; empty if the error concerns no value. */
  path: Array<string>
  /** Place in the document, as a JSON Pointer, RFC 6901; null if the error does not concern the document. */
  pointer: string | null
  /** For a `CONFLICT`, the number of the current revision. */
  currentRevision: number | null
  /** In a mutation of many templates, the `id` of the template; null if it has none or the error concerns all. */
  templateId: number | null
}

/** Kinds of user errors. */
export type UserErrorCode =
  /** A field is missing. */
  | 'REQUIRED'
  /** A field has a value of another type. */
  | 'WRONG_TYPE'
  /** A number is too small or too large. */
  | 'OUT_OF_RANGE'
  /** A text is empty. */
  | 'TOO_SHORT'
  /** A text has more characters (Unicode code points) than allowed, or the document has too many bytes. */
  | 'TOO_LARGE'
  /** A text has U+0000 or a lone surrogate, which databases cannot store. */
  | 'INVALID_TEXT'
  /** The document is not JSON. */
  | 'INVALID_JSON'
  /** A key occurs twice in one object of the document. */
  | 'DUPLICATE_KEY'
  /** The document is nested too deeply. */
  | 'TOO_DEEP'
  /** The document does not match the JSON Schema. */
  | 'SCHEMA'
  /** There are more problems than reported. */
  | 'MORE_PROBLEMS'
  /** Both `data` and `document` are given. */
  | 'AMBIGUOUS'
  /** There is no such template, revision, user, client or other object. */
  | 'NOT_FOUND'
  /** Somebody else has changed the template. */
  | 'CONFLICT'
  /** The number of templates is not the expected one. */
  | 'UNEXPECTED_COUNT'
  /**
   * The user has no right to publish. Deleting a template requires it, and so do changing `publicProduct` and using the id
   * of a deleted public template. Of the mutations of templates, only `restoreProducts` and `importProducts` return this
   * code. For the others, it is the `reason` of an error.
   */
  | 'NO_RIGHT_TO_PUBLISH'
  /**
   * The user's rule does not permit the template or the request. Of the mutations of templates, only `importProducts`
   * returns this code. For the others, it is the `reason` of an error.
   */
  | 'OUTSIDE_RULE'
  /** The id is used by another template. */
  | 'ID_TAKEN'
  /** Another template of the import has this id. */
  | 'DUPLICATE_ID'
  /** No id is free: the highest ids are in use. */
  | 'NO_FREE_ID'
  /** The Idempotency-Key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** A value or the request is not allowed; the message says why. */
  | 'INVALID'
  /** Another user has this e-mail address, or another client this id. */
  | 'EXISTS'
  /** The user is the last one who is not disabled and has the role `admin`. */
  | 'LAST_ADMIN'

/** A page of changes, oldest first. */
export interface ChangeConnection {
  /** The changes with their cursors. */
  edges: Array<ChangeEdge>
  /** The changes without their cursors. */
  nodes: Array<Change>
  /** Information for paging. */
  pageInfo: PageInfo
  /**
   * Cursor of the latest change in the feed. To keep a copy, read this cursor, then all templates, then the changes after
   * the cursor. The copy may already contain the first of these changes.
   */
  latestCursor: string
}

/** A change and its cursor. */
export interface ChangeEdge {
  /** Cursor for `after`, and for `Last-Event-ID` of `GET /changes`. */
  cursor: string
  /** The change. */
  node: Change
}

/** A committed change of a template. */
export interface Change {
  /** Cursor of the change, for `after`. */
  cursor: string
  /** `id` of the template. */
  templateId: number
  /** Number of the revision that the change made. The revisions of a template start at 1 and have no gaps. */
  revision: number
  /** Kind of the change. */
  action: ChangeAction
  /** SHA-256 of the `data` of that revision, `sha256:<hex>`; null for a deletion. */
  hash: string | null
  /** Time of the change: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  time: string
  /** Contents of the template in that revision; null for a deletion. */
  contents: ProductContents | null
}

/** Kind of a change. */
export type ChangeAction =
  /** The template was created, or came back after a deletion. */
  | 'INSERT'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE'

/** A person who logs in. */
export interface User {
  /** A UUID; the `sub` of the user's tokens. */
  id: string
  /** E-mail address, in lower case. */
  email: string
  /** First name; may be empty. */
  firstName: string
  /** Last name; may be empty. */
  lastName: string
  /** Country; may be empty. */
  country: string
  /** Mobile number; may be empty. */
  mobile: string
  /** Wallet addresses on blockchains, in the user's order. */
  wallets: Array<string>
  /** Role of the user. */
  role: Role
  /** Limits the templates that the user may see and write: JSON text in the form of `where` of `products`; null: all. */
  where: string | null
  /** Whether the user is disabled and may not log in. */
  disabled: boolean
  /** Number of active logins: of browsers at the login page, and of clients with a refresh token. */
  sessions: number
  /** Time of the user's last login at the login page; null if none is recorded. */
  lastLogin: string | null
  /** Number of failed password logins since the last successful one, within 15 minutes. */
  failedLogins: number
  /** Time until which password logins are refused after too many failures; null if they are accepted. */
  lockedUntil: string | null
  /** Whether the user got a link that sets the first password, and has neither chosen a password nor logged in since. */
  invited: boolean
  /** Time when the latest link that sets a password expires: UTC with microseconds; null if no link works. */
  linkExpires: string | null
  /** Identities of the user at OpenID providers. */
  identities: Array<UserIdentity>
}

/** What users may do; each role includes the previous ones. */
export type Role =
  /** Read templates. */
  | 'reader'
  /** Create templates that are not public, and edit any template, except `publicProduct`. */
  | 'editor'
  /** Publish and delete templates. */
  | 'publisher'
  /** Manage users, clients and other settings. Includes all rights of a publisher. */
  | 'admin'

/** A page of users. */
export interface UserConnection {
  /** The users with their cursors. */
  edges: Array<UserEdge>
  /** The users without cursors. */
  nodes: Array<User>
  /** Information for paging. */
  pageInfo: PageInfo
}

/** A user in a page. */
export interface UserEdge {
  /** Cursor for `after`. */
  cursor: string
  /** The user. */
  node: User
}

/** An application that obtains tokens, RFC 6749 §2. */
export interface OAuthClient {
  /** `client_id`. */
  id: string
  /** Name shown to users; if empty, the id is shown. */
  displayName: string
  /** Grant types that the client may use. */
  grantTypes: Array<string>
  /** Scopes that the client may request. */
  scopes: Array<string>
  /** Whether the client has no secret, such as a web page or an app. */
  isPublic: boolean
  /** Whether the client belongs to the operator. If so, users are not asked for consent. */
  firstParty: boolean
  /** Whether the client may introspect the tokens of other clients. */
  mayIntrospect: boolean
  /** URIs to which the login page sends users back. */
  redirectUris: Array<string>
  /** Whether the client is disabled and gets no tokens. */
  disabled: boolean
}

/** A page of the audit trail, newest first. */
export interface AuditEventConnection {
  /** The events with their cursors. */
  edges: Array<AuditEventEdge>
  /** The events without cursors. */
  nodes: Array<AuditEvent>
  /** Information for paging. */
  pageInfo: PageInfo
}

/** An event in a page. */
export interface AuditEventEdge {
  /** Cursor for `after`. */
  cursor: string
  /** The event. */
  node: AuditEvent
}

/** A recorded action. Events are never changed or deleted. */
export interface AuditEvent {
  /** Number of the event; later events have higher numbers. */
  id: string
  /** Time of the action: UTC with microseconds. */
  time: string
  /** The action, such as `user.add`. */
  action: string
  /** Who performed the action. */
  actor: AuditActor
  /** Kind of the target, such as `user`, `client` or `key`: the part of the action before the dot. */
  targetKind: string
  /** Id of the user, client, key or other target. */
  targetId: string
  /** Details, such as the e-mail address of the user or the new rights of a client. They contain no secrets. */
  details: Json
}

/** Who performed an action. All fields are null if the service acted by itself. */
export interface AuditActor {
  /** `sub` of the token: the id of a user, or of a client on its own behalf; null for a command. */
  subject: string | null
  /** E-mail address of the user at that time, the name given by another issuer or the host, or the system user of a command. */
  name: string | null
  /** `client_id` of the token, or `command line`; null at the login page. */
  clientId: string | null
  /** Network address of the request; null if there is none. */
  address: string | null
}

/** A user to invite. */
export interface InviteUserInput {
  /** E-mail address. */
  email: string
  /** Role of the user. */
  role: Role
  /** Limits the templates that the user may see and write; all if omitted. */
  where?: ProductTemplateFilter | null | undefined
  /** First name. */
  firstName?: string | null | undefined
  /** Last name. */
  lastName?: string | null | undefined
  /** Country. */
  country?: string | null | undefined
  /** Mobile number. */
  mobile?: string | null | undefined
  /** Wallet addresses on blockchains. */
  wallets?: ReadonlyArray<string> | null | undefined
}

/** The changes to a user. An empty text clears a field. */
export interface UpdateUserInput {
  /** First name. */
  firstName?: string | null | undefined
  /** Last name. */
  lastName?: string | null | undefined
  /** Country. */
  country?: string | null | undefined
  /** Mobile number. */
  mobile?: string | null | undefined
  /** Wallet addresses, which replace all previous ones. */
  wallets?: ReadonlyArray<string> | null | undefined
  /** Role of the user. */
  role?: Role | null | undefined
  /** Limits the templates that the user may see and write; `{}`: all. */
  where?: ProductTemplateFilter | null | undefined
  /** Whether the user is disabled and may not log in. */
  disabled?: boolean | null | undefined
}

/** A client to add. */
export interface AddClientInput {
  /** `client_id`: printable ASCII characters other than the colon, and not a UUID. */
  id: string
  /** `password`, `client_credentials`, `refresh_token`, `authorization_code`; by default `password`, for a public client the last two. */
  grantTypes?: ReadonlyArray<string> | null | undefined
  /** Scopes that the client may request; `read` and `write` by default. */
  scopes?: ReadonlyArray<string> | null | undefined
  /** Whether the client cannot keep a secret, such as a web page or an app. */
  isPublic?: boolean | null | undefined
  /** Whether the client belongs to you. If so, users are not asked for consent. */
  firstParty?: boolean | null | undefined
  /** Whether the client may introspect the tokens of other clients. */
  mayIntrospect?: boolean | null | undefined
  /** URIs to which the login page sends users back. */
  redirectUris?: ReadonlyArray<string> | null | undefined
  /** Name shown to users instead of the id. */
  displayName?: string | null | undefined
}

/** The changes to a client. A list replaces the whole list. */
export interface UpdateClientInput {
  /** Grant types that the client may use. */
  grantTypes?: ReadonlyArray<string> | null | undefined
  /** Scopes that the client may request. */
  scopes?: ReadonlyArray<string> | null | undefined
  /** Whether the client belongs to you. If so, users are not asked for consent. */
  firstParty?: boolean | null | undefined
  /** Whether the client may introspect the tokens of other clients. */
  mayIntrospect?: boolean | null | undefined
  /** URIs to which the login page sends users back. */
  redirectUris?: ReadonlyArray<string> | null | undefined
  /** Name shown to users instead of the id. */
  displayName?: string | null | undefined
  /** Whether the client is disabled: it gets no tokens, and its existing tokens are refused. */
  disabled?: boolean | null | undefined
}

/** Result of `inviteUser`. */
export interface InviteUserPayload {
  /** The user; null if there are errors. */
  user: User | null
  /** Single-use link, valid for 24 hours. Send it to the user yourself. */
  link: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `resetPassword`. */
export interface ResetPasswordPayload {
  /** The user; null if there are errors. */
  user: User | null
  /** Single-use link, valid for 24 hours. Send it to the user yourself. */
  link: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `updateUser`. */
export interface UpdateUserPayload {
  /** The user; null if there are errors. */
  user: User | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `endSessions`. */
export interface EndSessionsPayload {
  /** The user; null if there are errors. */
  user: User | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `deleteUser`. */
export interface DeleteUserPayload {
  /** The deleted id; null if there are errors. */
  deletedId: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `addClient`. */
export interface AddClientPayload {
  /** The client; null if there are errors. */
  client: OAuthClient | null
  /** The secret, shown only now: the database stores its hash. Null for a public client. */
  secret: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `rotateClientSecret`. */
export interface RotateClientSecretPayload {
  /** The client; null if there are errors. */
  client: OAuthClient | null
  /** The new secret, shown only now: the database stores its hash. */
  secret: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `updateClient`. */
export interface UpdateClientPayload {
  /** The client; null if there are errors. */
  client: OAuthClient | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `deleteClient`. */
export interface DeleteClientPayload {
  /** The deleted id; null if there are errors. */
  deletedId: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** An OpenID provider on the login page. */
export interface LoginProvider {
  /** Identifier in URLs. */
  id: string
  /** Name shown to users. */
  name: string
  /** The provider's `iss`. */
  issuer: string
}

/** An identity of a user at an OpenID provider: `iss` and `sub` of an ID token. */
export interface UserIdentity {
  /** The provider's `iss`. */
  issuer: string
  /** The user's `sub` at the provider. */
  subject: string
}

/** A view of the templates in the explorer. It is only a filter: it gives nobody access. */
export interface SavedView {
  /** Identifier, as in the address of the view. */
  id: string
  /** Name shown to users. */
  name: string
  /** Filter and order, as the query of an address of the explorer. */
  query: string
  /** Keys of the columns, in their order. */
  columns: Array<string>
  /** Whether all users see the view. */
  shared: boolean
  /** Whether the caller may change and delete the view. */
  mayChange: boolean
}

/** A view to save. */
export interface SaveViewInput {
  /** The view to replace; a new one if omitted. Only its author and, if it is shared, administrators may replace it. */
  id?: string | null | undefined
  /** Name shown to users; at most 60 characters. */
  name: string
  /** Filter and order, as the query of an address of the explorer; at most 2000 characters. */
  query: string
  /** Keys of the columns, in their order; at most 60. */
  columns: ReadonlyArray<string>
  /** Whether all users see the view. */
  shared?: boolean | undefined
}

/** Result of `saveView`. */
export interface SaveViewPayload {
  /** The saved view; null if there are errors. */
  view: SavedView | null
  /** Why nothing was saved; empty if the view was saved. */
  userErrors: Array<UserError>
}

/** Result of `setDefaultView`. */
export interface SetDefaultViewPayload {
  /** The new default view; null if there is none, or if there are errors. */
  view: SavedView | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `deleteView`. */
export interface DeleteViewPayload {
  /** The `id` of the deleted view; null if there are errors. */
  deletedId: string | null
  /** Why nothing was deleted; empty if the view was deleted. */
  userErrors: Array<UserError>
}

/** A URL to which the service sends changes of templates, as described in https://www.standardwebhooks.com. */
export interface Webhook {
  /** Identifier of the webhook. */
  id: string
  /** URL to which messages are sent. */
  url: string
  /** The templates whose changes are sent: JSON text in the form of `where` of `products`; null: all. */
  where: string | null
  /** Event types to send. */
  events: Array<WebhookEvent>
  /** Whether the webhook is disabled and sends nothing. */
  disabled: boolean
  /** Why the service disabled the webhook; null if the service did not disable it. */
  disabledBecause: string | null
  /** Time when the webhook was added: UTC with microseconds. */
  timeCreated: string
  /** Number of changes not yet processed. */
  behind: number
  /** Number of messages awaiting a retry, or queued behind one. */
  waiting: number
  /** Number of dead messages: the service has given up sending them. */
  dead: number
  /** Error of the latest failed message; null if there is none. */
  lastError: string | null
  /** The messages that have failed, at most 20, the latest attempt first. Delivered messages are not kept. */
  failedMessages: Array<WebhookMessage>
}

/** A message of a webhook that has failed. */
export interface WebhookMessage {
  /** `id` of the template that changed. */
  templateId: number
  /** Number of attempts. */
  attempts: number
  /** Whether the service has given up sending the message. */
  dead: boolean
  /** Why the last attempt failed. */
  error: string | null
  /** Time of the last attempt: UTC with microseconds. */
  timeTried: string
  /** Time of the next attempt; null if there is none. */
  timeNext: string | null
}

/** Event types of webhooks. */
export type WebhookEvent =
  /** A template was created, or has started to match `where`. */
  | 'created'
  /** A template was changed. */
  | 'updated'
  /** A template was deleted, or no longer matches `where`. */
  | 'deleted'

/** A webhook to add. */
export interface AddWebhookInput {
  /** URL to which messages are sent: http or https, without user and fragment. */
  url: string
  /** The templates whose changes are sent; all if omitted. */
  where?: ProductTemplateFilter | null | undefined
  /** Event types to send; all by default. */
  events?: ReadonlyArray<WebhookEvent> | null | undefined
}

/** The changes to a webhook. */
export interface UpdateWebhookInput {
  /** URL to which messages are sent: http or https, without user and fragment. */
  url?: string | null | undefined
  /** The templates whose changes are sent; `{}`: all. */
  where?: ProductTemplateFilter | null | undefined
  /** Event types to send. */
  events?: ReadonlyArray<WebhookEvent> | null | undefined
  /** Whether the webhook is disabled. Once enabled again, it continues where it stopped; no change is lost. */
  disabled?: boolean | null | undefined
}

/** Result of `addWebhook`. */
export interface AddWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Webhook | null
  /** The new secret, shown only now. */
  secret: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `rotateWebhookSecret`. */
export interface RotateWebhookSecretPayload {
  /** The webhook; null if there are errors. */
  webhook: Webhook | null
  /** The new secret, shown only now. */
  secret: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `updateWebhook`. */
export interface UpdateWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Webhook | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `replayWebhook`. */
export interface ReplayWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Webhook | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}

/** Result of `testWebhook`. */
export interface TestWebhookPayload {
  /** HTTP status of the answer; null without one. */
  status: number | null
  /** Why the message does not count as delivered; null if it was delivered. */
  error: string | null
  /** Why nothing was sent; empty if the message was sent. */
  userErrors: Array<UserError>
}

/** Result of `deleteWebhook`. */
export interface DeleteWebhookPayload {
  /** The deleted id; null if there are errors. */
  deletedId: string | null
  /** Why nothing was changed; empty if the change was made. */
  userErrors: Array<UserError>
}
