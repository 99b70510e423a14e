// `npm run docs` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar `DocumentValue` in a response. */
export type DocumentValue = Json

/** What a document may be given: the scalar `DocumentValue` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null

type Maybe<T> = T | null;
type InputMaybe<T> = T | null | undefined;

/** All built-in and custom scalars, mapped to their actual values */
interface Scalars {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** Any JSON value. */
  JSON: { input: Json; output: Json; }
  /**
   * A JSON value of a document. Numbers have the precision of JavaScript, 53 bits. As an input: a string, an integer, a
   * boolean or a list of strings.
   */
  DocumentValue: { input: DocumentValueInput; output: DocumentValue; }
}

/** An object with a global identifier: no two objects share a `nodeId`, whatever their types. */
export interface Node {
  /** Opaque and stable. */
  nodeId: Scalars['ID']['output'];
}

/** A person who logs in. */
export interface User {
  /** A UUID; `sub` of the user's tokens. */
  id: Scalars['ID']['output'];
  /** E-mail address, in lower case. */
  email: Scalars['String']['output'];
  /** First name; may be empty. */
  firstName: Scalars['String']['output'];
  /** Last name; may be empty. */
  lastName: Scalars['String']['output'];
  /** Country; may be empty. */
  country: Scalars['String']['output'];
  /** Mobile number; may be empty. */
  mobile: Scalars['String']['output'];
  /** Wallet addresses on blockchains, in the user's order. */
  wallets: Array<Scalars['String']['output']>;
  /** What the user may do. */
  role: Role;
  /** The rule on the templates that the user may see and write, a JSON text like `where` of `products`; null: all. */
  where: Maybe<Scalars['String']['output']>;
  /** Whether the user may not log in. */
  disabled: Scalars['Boolean']['output'];
  /** Who the user is at OpenID providers. */
  identities: Array<UserIdentity>;
  /** Logins that go on: those of browsers at the login page, and those of clients with a refresh token. */
  sessions: Scalars['Int']['output'];
  /** When the user last logged in at the login page; null if that is not recorded. */
  lastLogin: Maybe<Scalars['String']['output']>;
  /** Failed logins with a password since the last one that succeeded, within 15 minutes. */
  failedLogins: Scalars['Int']['output'];
  /** Until when logins with a password are refused, because too many have failed; null if they are not. */
  lockedUntil: Maybe<Scalars['String']['output']>;
}

/** What users may do, each also what those before it may. */
export type Role =
  /** Read templates. */
  | 'reader'
  /** Write templates that are not public, and change others but for `publicProduct`. */
  | 'editor'
  /** Publish and delete templates. */
  | 'publisher'
  /** Administrate users, clients and webhooks. */
  | 'admin';

/** Who somebody is at an OpenID provider: `iss` and `sub` of an ID token. */
export interface UserIdentity {
  /** The provider's `iss`. */
  issuer: Scalars['String']['output'];
  /** The subject there. */
  subject: Scalars['String']['output'];
}

/** A page of users. */
export interface UserConnection {
  /** The users with their cursors. */
  edges: Array<UserEdge>;
  /** The users without cursors. */
  nodes: Array<User>;
  /** Tells whether there are more pages. */
  pageInfo: PageInfo;
}

/** A user in a page. */
export interface UserEdge {
  /** For `after`. */
  cursor: Scalars['String']['output'];
  /** The user. */
  node: User;
}

/** An application that gets tokens, RFC 6749 §2. */
export interface OAuthClient {
  /** `client_id`. */
  id: Scalars['ID']['output'];
  /** Shown to users; if empty, the id is shown. */
  displayName: Scalars['String']['output'];
  /** Grant types that it may use. */
  grantTypes: Array<Scalars['String']['output']>;
  /** Scopes that it may ask for. */
  scopes: Array<Scalars['String']['output']>;
  /** Whether it has no secret: a page or an app. */
  isPublic: Scalars['Boolean']['output'];
  /** Whether it belongs to the operator, so that users are not asked for their consent. */
  firstParty: Scalars['Boolean']['output'];
  /** Whether it may introspect the tokens of other clients. */
  mayIntrospect: Scalars['Boolean']['output'];
  /** Where users come back to from the login page. */
  redirectUris: Array<Scalars['String']['output']>;
  /** Whether it gets no tokens. */
  disabled: Scalars['Boolean']['output'];
}

/** Another service that is told of changes, https://www.standardwebhooks.com. */
export interface Webhook {
  /** Its identifier. */
  id: Scalars['ID']['output'];
  /** Where its messages are sent. */
  url: Scalars['String']['output'];
  /** The templates whose changes are sent, a JSON text like `where` of `products`; null: all. */
  where: Maybe<Scalars['String']['output']>;
  /** What is sent. */
  events: Array<WebhookEvent>;
  /** Whether nothing is sent. */
  disabled: Scalars['Boolean']['output'];
  /** Why the service disabled it; null if it did not. */
  disabledBecause: Maybe<Scalars['String']['output']>;
  /** When it was added, in UTC with microseconds. */
  timeCreated: Scalars['String']['output'];
  /** Changes that it has not come to. */
  behind: Scalars['Int']['output'];
  /** Messages that are tried again, or wait for one that is. */
  waiting: Scalars['Int']['output'];
  /** Messages that were given up. */
  dead: Scalars['Int']['output'];
  /** Why the last failed message of these failed; null if there is none. */
  lastError: Maybe<Scalars['String']['output']>;
}

/** What a change is to a webhook. */
export type WebhookEvent =
  /** A template was created, or came to match. */
  | 'created'
  /** A template was changed. */
  | 'updated'
  /** A template was deleted, or no longer matches. */
  | 'deleted';

/** An OpenID provider of the login page. */
export interface LoginProvider {
  /** Its name in addresses. */
  id: Scalars['ID']['output'];
  /** Its name for people. */
  name: Scalars['String']['output'];
  /** Its `iss`. */
  issuer: Scalars['String']['output'];
}

/** A page of the audit trail, newest first. */
export interface AuditEventConnection {
  /** The events with their cursors. */
  edges: Array<AuditEventEdge>;
  /** The events without cursors. */
  nodes: Array<AuditEvent>;
  /** Tells whether there are more pages. */
  pageInfo: PageInfo;
}

/** An event in a page. */
export interface AuditEventEdge {
  /** For `after`. */
  cursor: Scalars['String']['output'];
  /** The event. */
  node: AuditEvent;
}

/** Something that was done. It is never changed nor deleted. */
export interface AuditEvent {
  /** Its number; later events have higher ones. */
  id: Scalars['ID']['output'];
  /** When, in UTC with microseconds. */
  time: Scalars['String']['output'];
  /** What was done, such as `user.add`. */
  action: Scalars['String']['output'];
  /** Who did it. */
  actor: AuditActor;
  /** `user`, `client`, `key` or `webhook`. */
  targetKind: Scalars['String']['output'];
  /** The id of the user, client, key or webhook. */
  targetId: Scalars['String']['output'];
  /** More, such as the e-mail address of the user, or the new rights of a client. It has no secrets. */
  details: Scalars['JSON']['output'];
}

/** Who did something. All fields are null for what the service does by itself. */
export interface AuditActor {
  /** `sub` of the token: the id of a user, or of a client on its own behalf; null for a command. */
  subject: Maybe<Scalars['String']['output']>;
  /** The e-mail address that the user had, the name that another issuer or the host gave, or the user who ran a command. */
  name: Maybe<Scalars['String']['output']>;
  /** `client_id` of the token, or `command line`; null at the login page. */
  clientId: Maybe<Scalars['String']['output']>;
  /** Network address of the request; null if there is none. */
  address: Maybe<Scalars['String']['output']>;
}

/** Who sends a request. */
export interface Viewer {
  /** First and last name of the user, or what its issuer or the host calls it; the client's without a user or a name. */
  name: Scalars['String']['output'];
  /** Display name of the client, or its `client_id`. */
  clientName: Scalars['String']['output'];
  /** Scopes of the access token that the role of its user allows. */
  scopes: Array<Scalars['String']['output']>;
  /** `reader`, `editor`, `publisher` or `admin`: what the user may do; null if it is no user of this service. */
  role: Maybe<Scalars['String']['output']>;
  /** The rule on the templates that they may see and write, a JSON text like `where` of `products`; null: all. */
  where: Maybe<Scalars['String']['output']>;
}

/** A JSON document with NFT-like traits. Items are created from it and stored on a blockchain. */
export interface ProductTemplate extends Node {
  /** Identifier of the template. Values are not contiguous and include 0. */
  id: Scalars['Int']['output'];
  /** Identifier among all objects. */
  nodeId: Scalars['ID']['output'];
  /** Identifier of the blockchain the template relates to. */
  blockchainId: Scalars['Int']['output'];
  /** A positive integer. */
  maxItems: Scalars['Int']['output'];
  /** Display name of the template. */
  name: Scalars['String']['output'];
  /** Whether the template is public. */
  publicProduct: Scalars['Boolean']['output'];
  /** Name of a UI component, such as `DefaultProduct` or `TrackingRecord`. */
  componentName: Scalars['String']['output'];
  /** Creation time: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  timeCreated: Scalars['String']['output'];
  /** Time of the last modification, in the same format. */
  timeModified: Scalars['String']['output'];
  /** The JSON document exactly as stored, including white space. */
  data: Scalars['String']['output'];
  /** `data` parsed into typed fields; null if `data` is not a JSON object. */
  document: Maybe<ProductDocument>;
  /** Number of the revision, from 1. Every change of the template adds one. */
  revision: Scalars['Int']['output'];
  /** SHA-256 of the bytes of `data`: `sha256:` and 64 hexadecimal digits. */
  hash: Scalars['String']['output'];
  /** The revisions of the template, newest first. Not available in `allProducts`: use `products` or `product`. */
  revisions: ProductRevisionConnection;
}

/** A page of revisions. */
export interface ProductRevisionConnection {
  /** The revisions with their cursors. */
  edges: Array<ProductRevisionEdge>;
  /** The revisions without their cursors. */
  nodes: Array<ProductRevision>;
  /** Information for paging. */
  pageInfo: PageInfo;
}

/** A revision and its cursor. */
export interface ProductRevisionEdge {
  /** Cursor for `after`. */
  cursor: Scalars['String']['output'];
  /** The revision. */
  node: ProductRevision;
}

/** The contents of a template in one revision. It has no `id`, so that caches do not mix it up with the current template. */
export interface ProductContents {
  /** As in `ProductTemplate`, like the following. */
  blockchainId: Scalars['Int']['output'];
  /** A positive integer. */
  maxItems: Scalars['Int']['output'];
  /** Display name of the template. */
  name: Scalars['String']['output'];
  /** Whether the template is public. */
  publicProduct: Scalars['Boolean']['output'];
  /** Name of a UI component. */
  componentName: Scalars['String']['output'];
  /** Creation time: UTC with microseconds. */
  timeCreated: Scalars['String']['output'];
  /** Time of the last modification, in the same format. */
  timeModified: Scalars['String']['output'];
  /** The JSON document exactly as stored, including white space. */
  data: Scalars['String']['output'];
  /** `data` parsed into typed fields; null if `data` is not a JSON object. */
  document: Maybe<ProductDocument>;
  /** SHA-256 of the bytes of `data`: `sha256:` and 64 hexadecimal digits. */
  hash: Scalars['String']['output'];
}

/** Events, as Server-Sent Events: with `Accept: text/event-stream`. They require the scope `read`. */
export interface Subscription {
  /**
   * The committed changes of templates, each once and in the order of `changes`, while the access token is valid. If the
   * connection is lost, subscribe again with the last `cursor` as `after`, or send it in the header `Last-Event-ID`, which
   * takes precedence. No change is missed.
   */
  productChanged: Change;
}

/** A revision of a template. It never changes. */
export interface ProductRevision extends Node {
  /** Identifier among all objects. */
  nodeId: Scalars['ID']['output'];
  /** `id` of the template. */
  templateId: Scalars['Int']['output'];
  /** Its number. The revisions of a template start at 1 and have no gaps. */
  number: Scalars['Int']['output'];
  /** What made it. */
  action: RevisionAction;
  /** SHA-256 of the bytes of `data`, as in `ProductTemplate.hash`; null for a deletion. */
  hash: Maybe<Scalars['String']['output']>;
  /** `sub` of the token it was written with; null if it was not written by a request. */
  subject: Maybe<Scalars['String']['output']>;
  /** `client_id` of the token it was written with; null if it was not written by a request. */
  clientId: Maybe<Scalars['String']['output']>;
  /** Who wrote it, by name; null if it was not written by a request. */
  author: Maybe<RevisionAuthor>;
  /** Why it was written, in the words of its author. */
  message: Maybe<Scalars['String']['output']>;
  /** When it was written: UTC with microseconds. */
  time: Scalars['String']['output'];
  /** What the template had in this revision; null for a deletion. */
  contents: Maybe<ProductContents>;
}

/** Who wrote a revision: a user, a client, or both. */
export interface RevisionAuthor extends Node {
  /** Identifier among all objects. */
  nodeId: Scalars['ID']['output'];
  /** First and last name of the user; that of the client without a user, or if the account is gone or has no name. */
  name: Scalars['String']['output'];
  /** Display name of the client, or its `client_id`. */
  clientName: Scalars['String']['output'];
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
  | 'IMPORT';

/** The difference between two revisions of a template, without the times. */
export interface RevisionDiff {
  /**
   * JSON Patch, RFC 6902, from the first to the second revision. `data` is patched as `document` if both are JSON
   * and differ in more than white space. Null if the documents are nested too deeply.
   */
  patch: Maybe<Scalars['JSON']['output']>;
  /** Unified diff of the same, one line per value; null if more than 700 lines differ. */
  text: Maybe<Scalars['String']['output']>;
}

/** The document in `data`. A field is null if its key is absent or has a value of another type. */
export interface ProductDocument {
  /** An integer, a numeric string or an empty string. */
  productId: Maybe<Scalars['DocumentValue']['output']>;
  /** Free text; may contain line breaks. */
  description: Maybe<Scalars['String']['output']>;
  /** A URL or an empty string. */
  externalUrl: Maybe<Scalars['String']['output']>;
  /** URL of the image. */
  image: Maybe<Scalars['String']['output']>;
  /** Display name in the document; may differ from the name of the template. */
  name: Maybe<Scalars['String']['output']>;
  /** Name of a UI component; may be empty. */
  component: Maybe<Scalars['String']['output']>;
  /** The traits in document order. Entries without a name are omitted. */
  attributes: Array<Trait>;
}

/** An NFT-like trait of a document. */
export interface Trait {
  /** Name of the trait, such as `MadeIn`. */
  traitType: Scalars['String']['output'];
  /** The JSON value; null if absent. */
  value: Maybe<Scalars['DocumentValue']['output']>;
  /** Type of `value`. */
  valueType: TraitValueType;
  /** The value formatted for display: list elements separated by commas, empty if absent. */
  text: Scalars['String']['output'];
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
  | 'OTHER';

/** A page of templates. */
export interface ProductTemplateConnection {
  /** The templates with their cursors. */
  edges: Array<ProductTemplateEdge>;
  /** The templates without their cursors. */
  nodes: Array<ProductTemplate>;
  /** Information for paging. */
  pageInfo: PageInfo;
  /** Number of templates that match `where`, across all pages. Computed only if selected. */
  totalCount: Scalars['Int']['output'];
  /**
   * Number of templates that match `where`, but at most `limit`: the answer `limit` means that there are as many or more. In
   * a large store it takes less time than `totalCount`.
   */
  totalCountUpTo: Scalars['Int']['output'];
}

/** A template and its cursor. */
export interface ProductTemplateEdge {
  /** Cursor for `after` and `before`. */
  cursor: Scalars['String']['output'];
  /** The template. */
  node: ProductTemplate;
}

/** Information for paging. */
export interface PageInfo {
  /** Whether more items follow this page. When paging forward, only those before the `before` cursor count. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether more items precede this page. When paging backward, only those after the `after` cursor count. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first edge; null if the page is empty. */
  startCursor: Maybe<Scalars['String']['output']>;
  /** Cursor of the last edge; null if the page is empty. */
  endCursor: Maybe<Scalars['String']['output']>;
}

/** Sort order of templates. Ties are ordered by id, in the same direction. */
export interface ProductTemplateOrder {
  /** Field to sort by. */
  field?: ProductTemplateOrderField | undefined;
  /**
   * Name of a trait to sort by, instead of `field`; at most 1000 characters. Numbers come first, also those in text, then
   * other values by code point, then templates without the trait, in either direction. Of a list, the element with the
   * least text counts, and of long values the first 40 characters. Unlike fields, this reads the trait of each template
   * that matches.
   */
  trait?: InputMaybe<Scalars['String']['input']>;
  /** Sort direction. */
  direction?: OrderDirection | undefined;
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
  /** Whether the template is public; those that are not come first. */
  | 'PUBLIC_PRODUCT'
  /** Maximum number of items. */
  | 'MAX_ITEMS';

/** Sort direction. */
export type OrderDirection =
  /** Smallest or oldest first. */
  | 'ASC'
  /** Largest or newest first. */
  | 'DESC';

/**
 * Conditions on templates; a template matches if all of them hold. Null conditions are ignored. A filter may have
 * 500 values, where each word of `search` counts as ten, and 10 levels of `and`, `or` and `not`.
 */
export interface ProductTemplateFilter {
  /** Condition on the identifier. */
  id?: InputMaybe<IntFilter>;
  /** Condition on the display name. */
  name?: InputMaybe<NameFilter>;
  /** Condition on the UI component. */
  componentName?: InputMaybe<StringFilter>;
  /** Condition on the blockchain. */
  blockchainId?: InputMaybe<IntFilter>;
  /** Condition on whether the template is public. */
  publicProduct?: InputMaybe<BooleanFilter>;
  /** Condition on the maximum number of items. */
  maxItems?: InputMaybe<IntFilter>;
  /** Condition on the creation time. */
  timeCreated?: InputMaybe<TimeFilter>;
  /** Condition on the time of the last modification. */
  timeModified?: InputMaybe<TimeFilter>;
  /** Condition on `productId` of the document; a number counts as its text. */
  productId?: InputMaybe<StringFilter>;
  /** Condition on a trait of the document. Use `and` for several traits. */
  trait?: InputMaybe<TraitFilter>;
  /**
   * Words to find. Each must be the prefix of a word in the name, the description or the displayed value of a trait.
   * Only letters and digits count; case and accents are ignored. At most 1000 characters.
   */
  search?: InputMaybe<Scalars['String']['input']>;
  /** All of these filters match. An empty list is ignored. */
  and?: InputMaybe<ReadonlyArray<ProductTemplateFilter>>;
  /** At least one of these filters matches. An empty list matches nothing. */
  or?: InputMaybe<ReadonlyArray<ProductTemplateFilter>>;
  /** This filter does not match. */
  not?: InputMaybe<ProductTemplateFilter>;
}

/** Conditions on an integer. */
export interface IntFilter {
  /** Equal to this. */
  equals?: InputMaybe<Scalars['Int']['input']>;
  /** Equal to one of these. */
  in?: InputMaybe<ReadonlyArray<Scalars['Int']['input']>>;
  /** Greater than this. */
  gt?: InputMaybe<Scalars['Int']['input']>;
  /** Greater than or equal to this. */
  gte?: InputMaybe<Scalars['Int']['input']>;
  /** Less than this. */
  lt?: InputMaybe<Scalars['Int']['input']>;
  /** Less than or equal to this. */
  lte?: InputMaybe<Scalars['Int']['input']>;
}

/** Conditions on a string, case-sensitive. */
export interface StringFilter {
  /** Equal to this. */
  equals?: InputMaybe<Scalars['String']['input']>;
  /** Equal to one of these. */
  in?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
}

/** Conditions on a name. */
export interface NameFilter {
  /** Equal to this, case-sensitive. */
  equals?: InputMaybe<Scalars['String']['input']>;
  /** Equal to one of these, case-sensitive. */
  in?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Contains this, case-insensitive. */
  contains?: InputMaybe<Scalars['String']['input']>;
  /** Starts with this, case-insensitive. */
  startsWith?: InputMaybe<Scalars['String']['input']>;
}

/** Condition on a boolean. */
export interface BooleanFilter {
  /** Equal to this. */
  equals?: InputMaybe<Scalars['Boolean']['input']>;
}

/** Conditions on a time. Times are in UTC: `YYYY-MM-DDTHH:MM:SSZ`, with up to six fractional digits. */
export interface TimeFilter {
  /** After this time. */
  gt?: InputMaybe<Scalars['String']['input']>;
  /** At or after this time. */
  gte?: InputMaybe<Scalars['String']['input']>;
  /** Before this time. */
  lt?: InputMaybe<Scalars['String']['input']>;
  /** At or before this time. */
  lte?: InputMaybe<Scalars['String']['input']>;
}

/** Conditions on a trait. With `type` alone, the document must have the trait. Case-sensitive. */
export interface TraitFilter {
  /** Name of the trait. */
  type: Scalars['String']['input'];
  /** The value is equal to this and of the same type: 7 is not "7". Null matches an absent or null value. */
  equals?: InputMaybe<Scalars['DocumentValue']['input']>;
  /** The value is equal to one of these. */
  in?: InputMaybe<ReadonlyArray<InputMaybe<Scalars['DocumentValue']['input']>>>;
  /** A string value contains this, or a list has it as an element. */
  contains?: InputMaybe<Scalars['String']['input']>;
  /**
   * A number greater than this. Numbers in text count, as do those in a list: an integer of at most 16 digits, or at most 15
   * characters with a point, or with a comma before one or two decimals, such as `12,50`.
   */
  gt?: InputMaybe<Scalars['Float']['input']>;
  /** A number greater than or equal to this. */
  gte?: InputMaybe<Scalars['Float']['input']>;
  /** A number less than this. With a lower bound, one number must be within both. */
  lt?: InputMaybe<Scalars['Float']['input']>;
  /** A number less than or equal to this. */
  lte?: InputMaybe<Scalars['Float']['input']>;
  /** Whether the document has the trait. */
  exists?: InputMaybe<Scalars['Boolean']['input']>;
}

/** A trait and its most frequent values. */
export interface TraitFacet {
  /** Name of the trait. Names over 100 characters are truncated and end in a hash; filters accept that form. */
  type: Scalars['String']['output'];
  /** The values, most frequent first. */
  values: Array<TraitFacetValue>;
  /**
   * The numbers among the values, also those in text: ten ranges of equal width from the least to the greatest number, or
   * one if all are equal. Empty if no value is a number.
   */
  numbers: Array<NumberRange>;
}

/** A range of numbers, from the least to the greatest in it; its upper end belongs to the next range. */
export interface NumberRange {
  /** Lower end. */
  from: Scalars['Float']['output'];
  /** Upper end. That of the last range is the greatest number, and belongs to it. */
  to: Scalars['Float']['output'];
  /** Number of templates with a number in the range. */
  count: Scalars['Int']['output'];
}

/** A field of templates whose values can be counted. */
export type FacetField =
  /** UI component. */
  | 'COMPONENT_NAME'
  /** Number of the blockchain. */
  | 'BLOCKCHAIN_ID'
  /** Whether the template is public. */
  | 'PUBLIC_PRODUCT';

/** A field and its most frequent values. */
export interface FieldFacet {
  /** The field. */
  field: FacetField;
  /** The values, most frequent first. */
  values: Array<FieldFacetValue>;
}

/** A value of a field. */
export interface FieldFacetValue {
  /** The value: a string, a number or true or false. */
  value: Scalars['DocumentValue']['output'];
  /** Number of templates with this value. */
  count: Scalars['Int']['output'];
}

/** A value of a trait. */
export interface TraitFacetValue {
  /** The value formatted for display. */
  text: Scalars['String']['output'];
  /** The value. Filter by it with `equals`, or with `contains` if `valueType` is `ARRAY`. */
  value: Maybe<Scalars['DocumentValue']['output']>;
  /** Type of `value`; `ARRAY` for an element of a list. */
  valueType: TraitValueType;
  /** Number of templates with this value. */
  count: Scalars['Int']['output'];
}

/** The values of a new template. Either `data` or `document` is required. */
export interface CreateProductInput {
  /** Identifier, from 0; by default one above all that were ever used. */
  id?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the blockchain the template relates to. */
  blockchainId: Scalars['Int']['input'];
  /** A positive integer. */
  maxItems: Scalars['Int']['input'];
  /** Display name of the template. */
  name: Scalars['String']['input'];
  /** Whether the template is public. */
  publicProduct?: Scalars['Boolean']['input'] | undefined;
  /** Name of a UI component. A `TrackingRecord` has only the traits `ProductType` and `UnitsProduced`. */
  componentName?: Scalars['String']['input'] | undefined;
  /** The JSON document as a string. It is stored byte for byte. */
  data?: InputMaybe<Scalars['String']['input']>;
  /** The document in typed fields. `data` is then written from it. */
  document?: InputMaybe<ProductDocumentInput>;
}

/** New values of a template. What is omitted or null stays. */
export interface UpdateProductInput {
  /** Identifier of the blockchain the template relates to. */
  blockchainId?: InputMaybe<Scalars['Int']['input']>;
  /** A positive integer. */
  maxItems?: InputMaybe<Scalars['Int']['input']>;
  /** Display name of the template. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Whether the template is public. */
  publicProduct?: InputMaybe<Scalars['Boolean']['input']>;
  /** Name of a UI component. */
  componentName?: InputMaybe<Scalars['String']['input']>;
  /** The JSON document as a string. It is stored byte for byte. */
  data?: InputMaybe<Scalars['String']['input']>;
  /** The document in typed fields. It replaces the whole of `data`. */
  document?: InputMaybe<ProductDocumentInput>;
}

/** A template to import. Either `data` or `document` is required. */
export interface ImportProductInput {
  /** Identifier, from 0; by default one above all that were ever used. */
  id?: InputMaybe<Scalars['Int']['input']>;
  /** Identifier of the blockchain the template relates to. */
  blockchainId: Scalars['Int']['input'];
  /** A positive integer. */
  maxItems: Scalars['Int']['input'];
  /** Display name of the template. */
  name: Scalars['String']['input'];
  /** Whether the template is public. */
  publicProduct?: Scalars['Boolean']['input'] | undefined;
  /** Name of a UI component. */
  componentName?: Scalars['String']['input'] | undefined;
  /** Creation time: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`; now if omitted. */
  timeCreated?: InputMaybe<Scalars['String']['input']>;
  /** Time of the last modification, in the same format; now if omitted. */
  timeModified?: InputMaybe<Scalars['String']['input']>;
  /** The JSON document as a string. It is stored byte for byte. */
  data?: InputMaybe<Scalars['String']['input']>;
  /** The document in typed fields. `data` is then written from it. */
  document?: InputMaybe<ProductDocumentInput>;
  /**
   * The revision that the stored template with this `id` must have, if the mode is `REPLACE`: otherwise somebody else has
   * changed or deleted it, which is the error `CONFLICT`.
   */
  expectedRevision?: InputMaybe<Scalars['Int']['input']>;
}

/** What to do with a template whose `id` exists. */
export type ImportMode =
  /** It is the error `ID_TAKEN`. */
  | 'CREATE'
  /** The existing template stays as it is. */
  | 'KEEP'
  /** The existing template is replaced, as a new revision. */
  | 'REPLACE';

/** A document in typed fields. What is omitted or null is absent from `data`. */
export interface ProductDocumentInput {
  /** An integer, a numeric string or an empty string. */
  productId?: InputMaybe<Scalars['DocumentValue']['input']>;
  /** Free text; may contain line breaks. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** A URL or an empty string. */
  externalUrl?: InputMaybe<Scalars['String']['input']>;
  /** URL of the image. */
  image?: InputMaybe<Scalars['String']['input']>;
  /** Display name in the document. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Name of a UI component; may be empty. */
  component?: InputMaybe<Scalars['String']['input']>;
  /** The traits, in this order. */
  attributes?: ReadonlyArray<TraitInput> | undefined;
}

/** A trait of a document. */
export interface TraitInput {
  /** Name of the trait. */
  traitType: Scalars['String']['input'];
  /** The value; absent from `data` if omitted or null. */
  value?: InputMaybe<Scalars['DocumentValue']['input']>;
}

/** What changes in each of many templates; the rest stays. */
export interface ProductChangeInput {
  /** Identifier of the blockchain. */
  blockchainId?: InputMaybe<Scalars['Int']['input']>;
  /** A positive integer. */
  maxItems?: InputMaybe<Scalars['Int']['input']>;
  /** Display name of the template. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Whether the template is public. */
  publicProduct?: InputMaybe<Scalars['Boolean']['input']>;
  /** Name of a UI component. */
  componentName?: InputMaybe<Scalars['String']['input']>;
  /** The JSON document as a string, which is stored byte for byte. Cannot be combined with `document`. */
  data?: InputMaybe<Scalars['String']['input']>;
  /** The document in typed fields. Cannot be combined with `data`. */
  document?: InputMaybe<ProductDocumentInput>;
  /**
   * Traits to set. The rest of the document stays byte for byte. A trait that occurs several times is set where it occurs
   * first; a new one comes last.
   */
  setTraits?: ReadonlyArray<TraitInput> | undefined;
  /** Names of traits to remove, wherever they occur. */
  removeTraits?: ReadonlyArray<Scalars['String']['input']> | undefined;
}

/** A template and the revision that it is to get the contents of. */
export interface RestoreProductInput {
  /** The `id` of the template. */
  id: Scalars['Int']['input'];
  /** Number of the revision. */
  revision: Scalars['Int']['input'];
  /** The number of the current revision. If it is another by now, nothing is written and the error is `CONFLICT`. */
  expectedRevision?: InputMaybe<Scalars['Int']['input']>;
}

/** Result of `createProduct`. */
export interface CreateProductPayload {
  /** The new template; null if there are errors. */
  product: Maybe<ProductTemplate>;
  /** The same, for a list in the default order; null for errors. */
  productEdge: Maybe<ProductTemplateEdge>;
  /** Why nothing was written; empty if the template was created. */
  userErrors: Array<UserError>;
  /** Problems of the document that the service is set to accept. */
  warnings: Array<UserError>;
}

/** Result of `updateProduct`. */
export interface UpdateProductPayload {
  /** The template after the change; for a `CONFLICT` as it is now; null for other errors. */
  product: Maybe<ProductTemplate>;
  /** The same, for a list in the default order; null for errors. */
  productEdge: Maybe<ProductTemplateEdge>;
  /** What has changed, or would change in a dry run; null if nothing has, or the template did not exist. */
  diff: Maybe<RevisionDiff>;
  /** Why nothing was written; empty if the template was changed. */
  userErrors: Array<UserError>;
  /** Problems of the document that the service is set to accept. */
  warnings: Array<UserError>;
}

/** Result of `deleteProduct`. */
export interface DeleteProductPayload {
  /** The template before it was deleted; for a `CONFLICT` as it is now; null for other errors. */
  product: Maybe<ProductTemplate>;
  /** `nodeId` of the template that was deleted; null for errors. */
  deletedNodeId: Maybe<Scalars['ID']['output']>;
  /** Why nothing was deleted; empty if the template was deleted. */
  userErrors: Array<UserError>;
}

/** Result of `restoreProduct`. */
export interface RestoreProductPayload {
  /** The template with the restored contents; null if there are errors. */
  product: Maybe<ProductTemplate>;
  /** The same, for a list in the default order; null for errors. */
  productEdge: Maybe<ProductTemplateEdge>;
  /** What has changed, or would change in a dry run; null if nothing has, or the template did not exist. */
  diff: Maybe<RevisionDiff>;
  /** Why nothing was written; empty if the template was restored. */
  userErrors: Array<UserError>;
}

/** Result of `updateProducts`. */
export interface UpdateProductsPayload {
  /** Number of the templates, whether the change has changed them or not; 0 if there are errors. */
  count: Scalars['Int']['output'];
  /** The revisions that were written. A template that the change leaves as it is has none. */
  written: Array<WrittenRevision>;
  /** Why nothing was written; empty if the templates were changed. */
  userErrors: Array<UserError>;
  /** Problems of documents that the service is set to accept. */
  warnings: Array<UserError>;
}

/** Result of `deleteProducts`. */
export interface DeleteProductsPayload {
  /** Number of the templates; 0 if there are errors. */
  count: Scalars['Int']['output'];
  /** The revisions that were written, without contents. */
  written: Array<WrittenRevision>;
  /** `nodeId` of each template that was deleted. */
  deletedNodeIds: Array<Scalars['ID']['output']>;
  /** Why nothing was deleted; empty if the templates were deleted. */
  userErrors: Array<UserError>;
}

/** Result of `restoreProducts`. */
export interface RestoreProductsPayload {
  /** Number of the templates; 0 if there are errors. */
  count: Scalars['Int']['output'];
  /** The revisions that were written. A template that has the same contents has none. */
  written: Array<WrittenRevision>;
  /** Why nothing was written; empty if the templates were restored. */
  userErrors: Array<UserError>;
}

/** A revision that was written. */
export interface WrittenRevision {
  /** The `id` of the template. */
  templateId: Scalars['Int']['output'];
  /** Number of the revision. */
  revision: Scalars['Int']['output'];
}

/** Result of `importProducts`. */
export interface ImportProductsPayload {
  /** The templates in the order of `input`; empty if there are errors. */
  products: Array<ProductTemplate>;
  /** Number of templates that were created. */
  created: Scalars['Int']['output'];
  /** Number of templates that were replaced. */
  replaced: Scalars['Int']['output'];
  /** Number of templates that existed with the same values. */
  unchanged: Scalars['Int']['output'];
  /** Number of templates that existed and were kept. */
  kept: Scalars['Int']['output'];
  /** Why nothing was written; empty if the templates were imported. */
  userErrors: Array<UserError>;
  /** Problems of documents that the service is set to accept. */
  warnings: Array<UserError>;
}

/** A user to invite. */
export interface InviteUserInput {
  /** E-mail address. */
  email: Scalars['String']['input'];
  /** What the user may do. */
  role: Role;
  /** The templates that the user may see and write; all if omitted. */
  where?: InputMaybe<ProductTemplateFilter>;
  /** First name. */
  firstName?: InputMaybe<Scalars['String']['input']>;
  /** Last name. */
  lastName?: InputMaybe<Scalars['String']['input']>;
  /** Country. */
  country?: InputMaybe<Scalars['String']['input']>;
  /** Mobile number. */
  mobile?: InputMaybe<Scalars['String']['input']>;
  /** Wallet addresses on blockchains. */
  wallets?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
}

/** What to change of a user. An empty text clears a field. */
export interface UpdateUserInput {
  /** First name. */
  firstName?: InputMaybe<Scalars['String']['input']>;
  /** Last name. */
  lastName?: InputMaybe<Scalars['String']['input']>;
  /** Country. */
  country?: InputMaybe<Scalars['String']['input']>;
  /** Mobile number. */
  mobile?: InputMaybe<Scalars['String']['input']>;
  /** All wallet addresses. */
  wallets?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** What the user may do. */
  role?: InputMaybe<Role>;
  /** The templates that the user may see and write; `{}`: all. */
  where?: InputMaybe<ProductTemplateFilter>;
  /** Whether the user may not log in. */
  disabled?: InputMaybe<Scalars['Boolean']['input']>;
}

/** A client to add. */
export interface AddClientInput {
  /** `client_id`: printable ASCII characters other than the colon, and not a UUID. */
  id: Scalars['ID']['input'];
  /** `password`, `client_credentials`, `refresh_token`, `authorization_code`; by default `password`, or those of public clients. */
  grantTypes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Scopes that it may ask for; `read` and `write` by default. */
  scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether it cannot keep a secret: a page or an app. */
  isPublic?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether it belongs to you, so that users are not asked for their consent. */
  firstParty?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether it may introspect the tokens of other clients. */
  mayIntrospect?: InputMaybe<Scalars['Boolean']['input']>;
  /** Where users come back to from the login page. */
  redirectUris?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Shown to users instead of the id. */
  displayName?: InputMaybe<Scalars['String']['input']>;
}

/** What to change of a client. A list replaces the whole list. */
export interface UpdateClientInput {
  /** Grant types that it may use. */
  grantTypes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Scopes that it may ask for. */
  scopes?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Whether it belongs to you, so that users are not asked for their consent. */
  firstParty?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether it may introspect the tokens of other clients. */
  mayIntrospect?: InputMaybe<Scalars['Boolean']['input']>;
  /** Where users come back to from the login page. */
  redirectUris?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Shown to users instead of the id. */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** Whether it gets no tokens; those that it has are refused. */
  disabled?: InputMaybe<Scalars['Boolean']['input']>;
}

/** A webhook to add. */
export interface AddWebhookInput {
  /** Where its messages are sent: an http(s) URL without user and fragment. */
  url: Scalars['String']['input'];
  /** The templates whose changes are sent; all if omitted. */
  where?: InputMaybe<ProductTemplateFilter>;
  /** What is sent; everything by default. */
  events?: InputMaybe<ReadonlyArray<WebhookEvent>>;
}

/** What to change of a webhook. */
export interface UpdateWebhookInput {
  /** Where its messages are sent: an http(s) URL without user and fragment. */
  url?: InputMaybe<Scalars['String']['input']>;
  /** The templates whose changes are sent; `{}`: all. */
  where?: InputMaybe<ProductTemplateFilter>;
  /** What is sent. */
  events?: InputMaybe<ReadonlyArray<WebhookEvent>>;
  /** Whether nothing is sent. Nothing is lost: once it is enabled, it goes on where it was. */
  disabled?: InputMaybe<Scalars['Boolean']['input']>;
}

/** Result of `inviteUser`. */
export interface InviteUserPayload {
  /** The user; null if there are errors. */
  user: Maybe<User>;
  /** Works once, for 24 hours. The service does not send it: you do. */
  link: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `resetPassword`. */
export interface ResetPasswordPayload {
  /** The user; null if there are errors. */
  user: Maybe<User>;
  /** Works once, for 24 hours. The service does not send it: you do. */
  link: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `updateUser`. */
export interface UpdateUserPayload {
  /** The user; null if there are errors. */
  user: Maybe<User>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `endSessions`. */
export interface EndSessionsPayload {
  /** The user; null if there are errors. */
  user: Maybe<User>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `deleteUser`. */
export interface DeleteUserPayload {
  /** The id; null if there are errors. */
  deletedId: Maybe<Scalars['ID']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `addClient`. */
export interface AddClientPayload {
  /** The client; null if there are errors. */
  client: Maybe<OAuthClient>;
  /** Shown only now; the database has a hash. A public client has none. */
  secret: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `rotateClientSecret`. */
export interface RotateClientSecretPayload {
  /** The client; null if there are errors. */
  client: Maybe<OAuthClient>;
  /** Shown only now; the database has a hash. */
  secret: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `updateClient`. */
export interface UpdateClientPayload {
  /** The client; null if there are errors. */
  client: Maybe<OAuthClient>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `deleteClient`. */
export interface DeleteClientPayload {
  /** The id; null if there are errors. */
  deletedId: Maybe<Scalars['ID']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `addWebhook`. */
export interface AddWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Maybe<Webhook>;
  /** Shown only now. */
  secret: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `rotateWebhookSecret`. */
export interface RotateWebhookSecretPayload {
  /** The webhook; null if there are errors. */
  webhook: Maybe<Webhook>;
  /** Shown only now. */
  secret: Maybe<Scalars['String']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `updateWebhook`. */
export interface UpdateWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Maybe<Webhook>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `replayWebhook`. */
export interface ReplayWebhookPayload {
  /** The webhook; null if there are errors. */
  webhook: Maybe<Webhook>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Result of `deleteWebhook`. */
export interface DeleteWebhookPayload {
  /** The id; null if there are errors. */
  deletedId: Maybe<Scalars['ID']['output']>;
  /** Why nothing was changed; empty if it was. */
  userErrors: Array<UserError>;
}

/** Something that the caller can correct. */
export interface UserError {
  /** Its kind. */
  code: UserErrorCode;
  /** A sentence for people. It never contains the value. */
  message: Scalars['String']['output'];
  /** Place of the value in the arguments, such as `input`, `data`; empty if it is about no value. */
  path: Array<Scalars['String']['output']>;
  /** Place in the document, as a JSON Pointer, RFC 6901; null if it is not about the document. */
  pointer: Maybe<Scalars['String']['output']>;
  /** For a `CONFLICT`, the number of the current revision. */
  currentRevision: Maybe<Scalars['Int']['output']>;
  /** In a mutation of many templates, the `id` of the template. */
  templateId: Maybe<Scalars['Int']['output']>;
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
  /** No such template, revision, user, client or webhook. */
  | 'NOT_FOUND'
  /** The template was changed by somebody else. */
  | 'CONFLICT'
  /** The templates are more or fewer than expected. */
  | 'UNEXPECTED_COUNT'
  /** A template has this id. */
  | 'ID_TAKEN'
  /** Another template of the import has this id. */
  | 'DUPLICATE_ID'
  /** The highest id is in use, and so are those before it. */
  | 'NO_FREE_ID'
  /** The Idempotency-Key was used for another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** A value of an account is not allowed; the message says which are. */
  | 'INVALID'
  /** Another user has this e-mail address, or another client this id. */
  | 'EXISTS'
  /** It is the last user who is not disabled and has the role `admin`. */
  | 'LAST_ADMIN';

/** A page of changes, oldest first. */
export interface ChangeConnection {
  /** The changes with their cursors. */
  edges: Array<ChangeEdge>;
  /** The changes without their cursors. */
  nodes: Array<Change>;
  /** Information for paging. */
  pageInfo: PageInfo;
  /**
   * Cursor of the latest change in the feed. To keep a copy, read this cursor first, then all templates, then the changes
   * after it; the first of these may already be in the copy.
   */
  latestCursor: Scalars['String']['output'];
}

/** A change and its cursor. */
export interface ChangeEdge {
  /** Cursor for `after`, and for `Last-Event-ID` of `GET /changes`. */
  cursor: Scalars['String']['output'];
  /** The change. */
  node: Change;
}

/** A committed change of a template. */
export interface Change {
  /** Cursor of the change, for `after`. */
  cursor: Scalars['String']['output'];
  /** `id` of the template. */
  templateId: Scalars['Int']['output'];
  /** Number of the revision that the change made: from 1 for each template, without gaps. */
  revision: Scalars['Int']['output'];
  /** Kind of the change. */
  action: ChangeAction;
  /** SHA-256 of the `data` of that revision, `sha256:<hex>`; null for a deletion. */
  hash: Maybe<Scalars['String']['output']>;
  /** Time of the change: UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  time: Scalars['String']['output'];
  /** What the template had in that revision; null for a deletion. */
  contents: Maybe<ProductContents>;
}

/** Kind of a change. */
export type ChangeAction =
  /** The template was created, or came back after a deletion. */
  | 'INSERT'
  /** The template was changed. */
  | 'UPDATE'
  /** The template was deleted. */
  | 'DELETE';
