// `npm run docs` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar `DocumentValue` in a response. */
export type DocumentValue = Json

/** What a document may be given: the scalar `DocumentValue` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null

/** A JSON document with NFT-like traits. Items are created from it and stored on a blockchain. */
export interface ProductTemplate {
  /** Identifier of the template. Values are not contiguous and include 0. */
  id: number
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** A positive integer. */
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
  /** Number of the revision, from 1. Every change of the template adds one. */
  revision: number
  /** SHA-256 of the bytes of `data`: `sha256:` and 64 hexadecimal digits. */
  hash: string
  /**
   * The revisions of the template, newest first. Not available in `allProducts`: use `products` or
   * `product`.
   */
  revisions: ProductRevisionConnection
}

/** A page of revisions. */
export interface ProductRevisionConnection {
  /** The revisions with their cursors. */
  edges: ProductRevisionEdge[]
  /** The revisions without their cursors. */
  nodes: ProductRevision[]
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

/** A revision of a template. It never changes. */
export interface ProductRevision {
  /** Its number. The revisions of a template start at 1 and have no gaps. */
  number: number
  /** What made it. */
  action: RevisionAction
  /** SHA-256 of the bytes of `data`, as in `ProductTemplate.hash`; null for a deletion. */
  hash: string | null
  /** `sub` of the token it was written with; null if it was not written by a request. */
  subject: string | null
  /** `client_id` of the token it was written with; null if it was not written by a request. */
  clientId: string | null
  /** Why it was written, in the words of its author. */
  message: string | null
  /** When it was written: UTC with microseconds. */
  time: string
  /** The template as it was in this revision; null for a deletion. */
  product: ProductTemplate | null
}

/** What made a revision. */
export type RevisionAction =
  /** The template was created. */
  | 'CREATE'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE'
  /** The template got the contents of an earlier revision. */
  | 'RESTORE'
  /** The template was imported. */
  | 'IMPORT'

/** The difference between two revisions of a template, without the times. */
export interface RevisionDiff {
  /**
   * JSON Patch, RFC 6902, from the first to the second revision. `data` is patched as `document` if both
   * are JSON and differ in more than white space. Null if the documents are nested too deeply.
   */
  patch: Json
  /** Unified diff of the same, one line per value; null if too much differs. */
  text: string | null
}

/** The document in `data`. A field is null if its key is absent or has a value of another type. */
export interface ProductDocument {
  /** An integer, a numeric string or an empty string. */
  productId: DocumentValue
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
  attributes: Trait[]
}

/** An NFT-like trait of a document. */
export interface Trait {
  /** Name of the trait, such as `MadeIn`. */
  traitType: string
  /** The JSON value; null if absent. */
  value: DocumentValue
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
  edges: ProductTemplateEdge[]
  /** The templates without their cursors. */
  nodes: ProductTemplate[]
  /** Information for paging. */
  pageInfo: PageInfo
  /** Number of templates that match `where`, across all pages. Computed only if selected. */
  totalCount: number
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
  /**
   * Whether more templates follow this page. When paging forward, only those before the `before` cursor
   * count.
   */
  hasNextPage: boolean
  /**
   * Whether more templates precede this page. When paging backward, only those after the `after` cursor
   * count.
   */
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

/** Sort direction. */
export type OrderDirection =
  /** Smallest or oldest first. */
  | 'ASC'
  /** Largest or newest first. */
  | 'DESC'

/**
 * Conditions on templates; a template matches if all of them hold. Null conditions are ignored. A
 * filter may have 500 values, where each word of `search` counts as ten, and 10 levels of `and`, `or`
 * and `not`.
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
  /** Condition on a trait of the document. Use `and` for several traits. */
  trait?: TraitFilter | null | undefined
  /**
   * Words to find. Each must be the prefix of a word in the name, the description or the displayed value
   * of a trait. Only letters and digits count; case and accents are ignored. At most 1000 characters.
   */
  search?: string | null | undefined
  /** All of these filters match. An empty list is ignored. */
  and?: readonly ProductTemplateFilter[] | null | undefined
  /** At least one of these filters matches. An empty list matches nothing. */
  or?: readonly ProductTemplateFilter[] | null | undefined
  /** This filter does not match. */
  not?: ProductTemplateFilter | null | undefined
}

/** Conditions on an integer. */
export interface IntFilter {
  /** Equal to this. */
  equals?: number | null | undefined
  /** Equal to one of these. */
  in?: readonly number[] | null | undefined
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
  in?: readonly string[] | null | undefined
}

/** Conditions on a name. */
export interface NameFilter {
  /** Equal to this, case-sensitive. */
  equals?: string | null | undefined
  /** Equal to one of these, case-sensitive. */
  in?: readonly string[] | null | undefined
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
  /**
   * The value is equal to this and of the same type: 7 is not "7". Null matches an absent or null value.
   */
  equals?: DocumentValueInput | undefined
  /** The value is equal to one of these. */
  in?: readonly DocumentValueInput[] | null | undefined
  /** A string value contains this, or a list has it as an element. */
  contains?: string | null | undefined
  /** Whether the document has the trait. */
  exists?: boolean | null | undefined
}

/** A trait and its most frequent values. */
export interface TraitFacet {
  /**
   * Name of the trait. Names over 100 characters are truncated and end in a hash; filters accept that
   * form.
   */
  type: string
  /** The values, most frequent first. */
  values: TraitFacetValue[]
}

/** A value of a trait. */
export interface TraitFacetValue {
  /** The value formatted for display. */
  text: string
  /** The value. Filter by it with `equals`, or with `contains` if `valueType` is `ARRAY`. */
  value: DocumentValue
  /** Type of `value`; `ARRAY` for an element of a list. */
  valueType: TraitValueType
  /** Number of templates with this value. */
  count: number
}

/** The values of a new template. Either `data` or `document` is required. */
export interface CreateProductInput {
  /** Identifier, from 0; by default the one after the highest that was ever used. */
  id?: number | null | undefined
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** A positive integer. */
  maxItems: number
  /** Display name of the template. */
  name: string
  /** Whether the template is public. */
  publicProduct?: boolean | undefined
  /** Name of a UI component. A `TrackingRecord` has only the traits `ProductType` and `UnitsProduced`. */
  componentName?: string | undefined
  /** The JSON document as a string. It is stored byte for byte. */
  data?: string | null | undefined
  /** The document in typed fields. `data` is then written from it. */
  document?: ProductDocumentInput | null | undefined
}

/** New values of a template. What is omitted or null stays. */
export interface UpdateProductInput {
  /** Identifier of the blockchain the template relates to. */
  blockchainId?: number | null | undefined
  /** A positive integer. */
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
  /** Identifier, from 0; by default the one after the highest that was ever used. */
  id?: number | null | undefined
  /** Identifier of the blockchain the template relates to. */
  blockchainId: number
  /** A positive integer. */
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
  /** The document in typed fields. `data` is then written from it. */
  document?: ProductDocumentInput | null | undefined
}

/** What to do with a template whose `id` exists. */
export type ImportMode =
  /** It is the error `ID_TAKEN`. */
  | 'CREATE'
  /** The existing template stays as it is. */
  | 'KEEP'
  /** The existing template is replaced, as a new revision. */
  | 'REPLACE'

/** A document in typed fields. What is omitted or null is absent from `data`. */
export interface ProductDocumentInput {
  /** An integer, a numeric string or an empty string. */
  productId?: DocumentValueInput | undefined
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
  attributes?: readonly TraitInput[] | undefined
}

/** A trait of a document. */
export interface TraitInput {
  /** Name of the trait. */
  traitType: string
  /** The value; absent from `data` if omitted or null. */
  value?: DocumentValueInput | undefined
}

/** Result of `createProduct`. */
export interface CreateProductPayload {
  /** The new template; null if there are errors. */
  product: ProductTemplate | null
  /** Why nothing was written; empty if the template was created. */
  userErrors: UserError[]
  /** Problems of the document that the service is set to accept. */
  warnings: UserError[]
}

/** Result of `updateProduct`. */
export interface UpdateProductPayload {
  /** The template after the change; for a `CONFLICT` as it is now; null for other errors. */
  product: ProductTemplate | null
  /** Why nothing was written; empty if the template was changed. */
  userErrors: UserError[]
  /** Problems of the document that the service is set to accept. */
  warnings: UserError[]
}

/** Result of `deleteProduct`. */
export interface DeleteProductPayload {
  /** The template before it was deleted; for a `CONFLICT` as it is now; null for other errors. */
  product: ProductTemplate | null
  /** Why nothing was deleted; empty if the template was deleted. */
  userErrors: UserError[]
}

/** Result of `restoreProduct`. */
export interface RestoreProductPayload {
  /** The template with the restored contents; null if there are errors. */
  product: ProductTemplate | null
  /** Why nothing was written; empty if the template was restored. */
  userErrors: UserError[]
}

/** Result of `importProducts`. */
export interface ImportProductsPayload {
  /** The templates in the order of `input`; empty if there are errors. */
  products: ProductTemplate[]
  /** Number of templates that were created. */
  created: number
  /** Number of templates that were replaced. */
  replaced: number
  /** Number of templates that existed with the same values. */
  unchanged: number
  /** Number of templates that existed and were kept. */
  kept: number
  /** Why nothing was written; empty if the templates were imported. */
  userErrors: UserError[]
  /** Problems of documents that the service is set to accept. */
  warnings: UserError[]
}

/** Something that the caller can correct. */
export interface UserError {
  /** Its kind. */
  code: UserErrorCode
  /** A sentence for people. It never contains the value. */
  message: string
  /** Place of the value in the arguments, such as `input`, `data`; empty if it is about no value. */
  path: string[]
  /** Place in the document, as a JSON Pointer, RFC 6901; null if it is not about the document. */
  pointer: string | null
  /** For a `CONFLICT`, the number of the current revision. */
  currentRevision: number | null
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
  /** A text is too long, or the document has too many bytes. */
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
  /** There are more problems than are reported. */
  | 'MORE_PROBLEMS'
  /** Both `data` and `document` are given. */
  | 'AMBIGUOUS'
  /** No such template, or no such revision. */
  | 'NOT_FOUND'
  /** The template was changed by somebody else. */
  | 'CONFLICT'
  /** A template has this id. */
  | 'ID_TAKEN'
  /** Another template of the import has this id. */
  | 'DUPLICATE_ID'
  /** The highest id is in use, and so are those before it. */
  | 'NO_FREE_ID'
  /** The Idempotency-Key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'

/** A page of changes, oldest first. */
export interface ChangeConnection {
  /** The changes with their cursors. */
  edges: ChangeEdge[]
  /** The changes without their cursors. */
  nodes: Change[]
  /** Information for paging. */
  pageInfo: PageInfo
  /**
   * Cursor of the latest change in the feed. To keep a copy, read this cursor first, then all templates,
   * then the changes after it; the first of these may already be in the copy.
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
  /** `id` of the template. */
  id: number
  /** Number of the revision that the change made: from 1 for each template, without gaps. */
  revision: number
  /** Kind of the change. */
  action: ChangeAction
  /** SHA-256 of the `data` of that revision, `sha256:<hex>`; null for a deletion. */
  hash: string | null
  /** Time of the change: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  time: string
  /** The template as of that revision; null for a deletion. */
  product: ProductTemplate | null
}

/** Kind of a change. */
export type ChangeAction =
  /** The template was created, or came back after a deletion. */
  | 'INSERT'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE'
