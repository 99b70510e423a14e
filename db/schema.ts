import type { Generated, Kysely, Transaction as KyselyTransaction, Selectable } from 'kysely'
import type { Resource } from '../domain/rights.ts'

/**
 * The tables as types; db/migrations/ has their indexes and triggers, too. The names start with `product_`, so that the
 * tables can share a database with a host's tables. Timestamps are UTC with microseconds,
 * `YYYY-MM-DDTHH:MM:SS.ffffffZ`, and sort as text.
 */
export interface Database {
  product_template: {
    /** 0 to 2^31-1, with gaps. */
    id: number
    blockchain_id: number
    /** 1 to 2^31-1. */
    max_items: number
    name: string
    /** 0 or 1: every engine and driver can bind an integer, but not every one a boolean. */
    public_product: number
    component_name: string
    time_created: string
    time_modified: string
    /** The JSON document as stored, byte for byte. */
    data: string
    /** The folded name, and its first 100 characters. */
    name_folded: string
    name_key: string
    /** Number of the current revision, counted by triggers. */
    revision?: number
  }
  product_user: {
    /** A UUID; `sub` of the user's tokens. */
    id: string
    /** Lower case; unique. */
    email: string
    /** argon2id, PHC string format. */
    password_hash: string
    first_name: string
    last_name: string
    country: string
    mobile: string
    time_created: string
    time_modified: string
    /** When the user was disabled; null: the user may log in. */
    time_disabled: string | null
    /** Counts the events that ended all tokens of the user. A token is valid only while its epoch is this one. */
    token_epoch: Generated<number>
    /** `domain/rights.ts` lists the roles that this program knows. */
    role: Generated<string>
    /** A `where` as JSON: the templates that the user may see and write; null: all. */
    template_where: string | null
  }
  /** Links to the page where a user sets a password. */
  product_password_link: {
    /** SHA-256 of the token, hex. */
    hash: string
    user_id: string
    /** `token_epoch` of the user when the link was made. When that changes, the link becomes invalid. */
    token_epoch: number
    time_expires: string
  }
  product_user_wallet: {
    user_id: string
    /** Order of the wallets, from 0. */
    position: number
    /** Address on a blockchain. */
    address: string
  }
  product_client: {
    /** `client_id`, RFC 6749 §2.2. */
    id: string
    /** SHA-256 of the secret, hex. The secret is random, so a slow hash would add nothing. */
    secret_hash: string
    /** The previous secret, valid until `time_previous_expires`; null: none. */
    previous_secret_hash: string | null
    time_previous_expires: string | null
    /** Grant types the client may use, separated by spaces. */
    grant_types: string
    /** Scopes the client may request, separated by spaces, in canonical order. */
    scope: string
    /** 0 or 1: whether it may introspect the tokens of other clients, RFC 7662 §4. */
    may_introspect: Generated<number>
    /** 0 or 1: a public client, which has no secret and identifies itself by its id only, RFC 6749 §2.1. */
    is_public: Generated<number>
    /** 0 or 1: the client belongs to the operator, so users are not asked for their consent. */
    first_party: Generated<number>
    /** Redirection endpoints, RFC 6749 §3.1.2, separated by spaces. */
    redirect_uris: Generated<string>
    /** The name that users see; empty: they see the id. */
    display_name: Generated<string>
    time_created: string
    time_modified: string
    /** When the client was disabled; null: the client may authenticate. */
    time_disabled: string | null
    /** Random: a client that is added again with the same id has another epoch. A token is valid only for one epoch. */
    token_epoch: Generated<number>
  }
  product_signing_key: {
    /** `kid`: the RFC 7638 thumbprint of the public key. */
    id: string
    /** JWA name, RFC 7518 §3.1. */
    algorithm: string
    /** The private key as a JWK, RFC 7517, or the JWE of one, RFC 7517 §7. */
    private_jwk: string
    time_created: string
    /** When the key began to sign; null: it is published but does not sign yet. */
    time_activated: string | null
    /** When the key stopped signing. It still verifies. null: not retired. */
    time_retired: string | null
    /** Longest lifetime of a token that the key signed, in seconds; null: it has signed none. */
    access_token_ttl: number | null
  }
  /** A login with its refresh tokens. Each of them replaces the previous one, RFC 9700 §4.14.2. */
  product_token_family: {
    /** A UUID; `sid` of the family's access tokens. */
    id: string
    client_id: string
    user_id: string
    /** The grant type of the login. */
    grant_type: string
    /** Scopes granted at login, separated by spaces. */
    scope: string
    time_created: string
    /** The `resource` of the request, RFC 8707; null: the request had none. */
    resource: Resource | null
    /** Expiry of the family; refreshing does not extend it. */
    time_expires: string
    /** null: not revoked. */
    time_revoked: string | null
  }
  product_refresh_token: {
    /** SHA-256 of the token, hex. */
    hash: string
    family_id: string
    /** 0, 1, 2, …; only the token with the highest number of the family is valid. */
    generation: number
    /** null: not used yet. */
    time_used: string | null
  }
  /** Access tokens that were revoked one by one. Rows of expired tokens are deleted. */
  product_revoked_token: {
    jti: string
    time_expires: string
  }
  /** Counters of attempts in the current window. */
  product_attempt: {
    /** The kind of attempt and a SHA-256 of the account, client or address. */
    subject: string
    count: number
    time_ends: string
  }
  /** The state of the index of templates. The table has one row. */
  product_template_index: {
    /** Version of the tables and contents of the index; 0: there is no index. */
    version: number
    /** 1: the index has every template except the pending ones. */
    complete: 0 | 1
    /** The highest id that the rebuild in progress has indexed; null: no rebuild. */
    reached: number | null
  }
  /**
   * Templates that plain SQL wrote or deleted and that are not indexed yet. On PostgreSQL, a template may have several
   * rows.
   */
  product_template_pending: {
    template_id: number
  }
  /** The contents of former revisions, stored by triggers. */
  product_template_past: Omit<
    ProductTemplateTable,
    'id' | 'data' | 'name_folded' | 'name_key' | 'revision'
  > & {
    template_id: number
    number: number
    /** null: the next revision has the same bytes. */
    data: string | null
  }
  /** Revisions without their contents. Triggers insert a row for each change. */
  product_revision: {
    sequence: Generated<number>
    template_id: number
    /** From 1, without gaps. If the id is used again after a deletion, the numbers continue. */
    number: number
    action: RevisionAction
    /** SHA-256 of `data`, hex; null for a deletion, or if it is not computed yet. */
    hash: string | null
    /** `sub` and `client_id` of the author's token; null if unknown. */
    subject: string | null
    client_id: string | null
    /** The name of an author who is not a user of the store; null if unknown. */
    author_name: string | null
    message: string | null
    time_recorded: string
    /** Place in the feed of changes. It is set after the commit; null: not set yet. */
    position: number | null
    /** `id` of the bulk change that the revision is part of; null: none. */
    bulk_change: string | null
  }
  /** Imports and other bulk writes. A bulk change may have several of them, each in its own transaction. */
  product_bulk_change: {
    sequence: Generated<number>
    /** A UUID. */
    id: string
    /** The action of the write, also if some of its revisions are deletions. */
    action: RevisionAction
    /** The author, as in `product_revision`. Nobody else can add to the bulk change. */
    subject: string | null
    client_id: string | null
    author_name: string | null
    message: string | null
    /** Time of the first revision. */
    time_recorded: string
    /** Number of revisions. */
    revisions: number
    /** Number of revisions that created a template, or brought it back after a deletion. */
    created: number
    /** Number of revisions that deleted a template. */
    deleted: number
    /**
     * `id` of the bulk change that made all revisions directly before these, if these restored templates; null: none.
     */
    undoes: string | null
  }
  /** The table has one row. */
  product_store: {
    /** The last migration that a program must know before it may use the store. */
    oldest_migration: string
  }
  /** Results of requests with an Idempotency-Key. They are kept for a day. */
  product_idempotency: {
    /** SHA-256 of the header, the client, the subject and the field, hex. */
    key: string
    /** SHA-256 of the arguments, hex. */
    request: string
    /** JSON. */
    result: string
    time_created: string
  }
  /**
   * The version of the templates, and that of everything that can end a token. Triggers replace the version in the
   * transaction of a change. On PostgreSQL, each version has several rows.
   */
  product_version: {
    name: 'access' | 'templates'
    /** Random. */
    value: string
  }
  /** Browsers that are logged in at the authorization endpoint. */
  product_session: {
    /** SHA-256 of the cookie and the issuer, hex. */
    hash: string
    user_id: string
    /** `token_epoch` of the user at login. When that changes, the session ends. */
    token_epoch: number
    time_created: string
    time_used: string
    /** A description of the browser for its user. */
    browser: string
  }
  /** The audit trail of users, clients, keys and objects of features. Triggers refuse to change or delete a row. */
  product_audit: {
    sequence: Generated<number>
    time_recorded: string
    /** Such as `user.add`. */
    action: string
    /** `sub` and `client_id` of the actor's token; null for a command. */
    subject: string | null
    client_id: string | null
    /** The e-mail address of the user at that time, or another name of the actor. */
    actor_name: string | null
    address: string | null
    /** The part of the action before the dot, such as `user`. */
    target_kind: string
    target_id: string
    /** JSON. */
    details: string
  }
  /** The scopes that a user allows a client. */
  product_consent: {
    user_id: string
    client_id: string
    /** Scopes, separated by spaces. */
    scope: string
    time_created: string
  }
  /** Authorization codes, RFC 6749 §4.1.2. */
  product_authorization_code: {
    /** SHA-256 of the code, hex. */
    hash: string
    client_id: string
    user_id: string
    /** `token_epoch` of the user at login. */
    token_epoch: number
    redirect_uri: string
    /** `code_challenge` with the method S256, RFC 7636 §4.2. */
    challenge: string
    scope: string
    /** OpenID Connect Core 1.0 §3.1.2.1; null: the request had none. */
    nonce: string | null
    /** The `resource` of the request, RFC 8707; null: the request had none. */
    resource: Resource | null
    /** When the user logged in. */
    time_authenticated: string
    time_expires: string
    /** null: not used yet. */
    time_used: string | null
    /** The family of the tokens that the client got for the code. */
    family_id: string | null
  }
}

/** A database or a transaction. Functions in `db/` take it first, so the caller controls the transaction. */
export type Db = Kysely<Database>

/**
 * A transaction. A function that must run in one takes it instead of a {@link Db}, so a call with a database does not
 * compile. `transact` (transaction.ts) begins one.
 */
export type Transaction = KyselyTransaction<Database>

/** A Kysely instance of a host, which may have other tables. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, so `unknown` would refuse every host
export type AnyDb = Kysely<any>

/** A row of a table, as queries return it. */
export type Row<Table extends keyof Database> = Selectable<Database[Table]>

export type ProductTemplateTable = Database['product_template']

export type RevisionAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE' | 'IMPORT'
