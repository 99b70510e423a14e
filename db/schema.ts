import type { Generated, Kysely, Selectable } from 'kysely'
import type { Resource } from './accounts/resource.ts'

/**
 * The tables as types. Their names start with `product_`, so that they can share a database with a host's tables.
 * Timestamps are UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, and sort as text.
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
    /** null: the user may log in. */
    time_disabled: string | null
    /** Counts the events that invalidated all tokens of the user; a token is valid only with the same epoch. */
    token_epoch: Generated<number>
    /** `db/accounts/roles.ts` has those that this program knows. */
    role: Generated<string>
    /** JSON of a `where`: the templates that the user may see and write; null: all. */
    template_where: string | null
  }
  /** Who users are at OpenID providers. */
  product_identity: {
    /** `iss` and `sub` of the ID token. */
    issuer: string
    subject: string
    user_id: string
    time_created: string
  }
  /** Links with which users set a password. */
  product_password_link: {
    /** SHA-256 of the token, hex. */
    hash: string
    user_id: string
    /** `token_epoch` of the user when the link was made; it ends when that changes. */
    token_epoch: number
    time_expires: string
  }
  /** Logins at OpenID providers that have begun. */
  product_provider_login: {
    /** SHA-256 of the state and of the browser, hex. */
    hash: string
    /** Id of the provider. */
    provider: string
    nonce: string
    /** The PKCE verifier, RFC 7636 §4.1. */
    verifier: string
    /** The query of the authorization request. */
    request: string
    time_expires: string
  }
  /** Passkeys of users: public keys of WebAuthn. */
  product_passkey: {
    /** The id of the credential, base64url. */
    id: string
    user_id: string
    /** What the user calls it. */
    name: string
    /** COSE, RFC 9052 §7, base64url. */
    public_key: string
    /** Number of signatures, as the authenticator counts them; 0: it does not count. */
    counter: number
    time_created: string
    /** The last login; null: none. */
    time_used: string | null
  }
  /** Challenges that wait for the signature of a passkey. */
  product_passkey_challenge: {
    /** SHA-256 of the challenge, of what it is for and of the browser, hex. */
    hash: string
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
    /** The secret before, valid until `time_previous_expires`; null: none. */
    previous_secret_hash: string | null
    time_previous_expires: string | null
    /** Grant types the client may use, separated by spaces. */
    grant_types: string
    /** Scopes the client may request, separated by spaces, in canonical order. */
    scope: string
    /** 0 or 1: whether it may introspect the tokens of other clients, RFC 7662 §4. */
    may_introspect: Generated<number>
    /** 0 or 1: it cannot keep a secret, and identifies itself by its id only, RFC 6749 §2.1. */
    is_public: Generated<number>
    /** 0 or 1: it belongs to the operator of the service, so users are not asked for their consent. */
    first_party: Generated<number>
    /** Where authorization responses may go, RFC 6749 §3.1.2, separated by spaces. */
    redirect_uris: Generated<string>
    /** Shown to users; empty: the id is shown. */
    display_name: Generated<string>
    time_created: string
    time_modified: string
    /** null: the client may authenticate. */
    time_disabled: string | null
    /** Random, so it differs if a client is added again with the same id. A token is valid only with the same epoch. */
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
    /** When it began to sign; null: it is only published. */
    time_activated: string | null
    /** When it stopped signing; since then it only verifies. null: not retired. */
    time_retired: string | null
    /** Longest lifetime of a token it signed, in seconds; null: unknown. */
    access_token_ttl: number | null
  }
  /** The refresh tokens of a login, each replacing the one before, RFC 9700 §4.14.2. */
  product_token_family: {
    /** A UUID; `sid` of the family's access tokens. */
    id: string
    client_id: string
    user_id: string
    /** The grant of the login; null: an older program has not recorded it. */
    grant_type: string | null
    /** Scopes granted at login, separated by spaces. */
    scope: string
    time_created: string
    /** What its tokens are for; null: the login named nothing. */
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
    /** 0, 1, 2, …; only the highest of the family may be used. */
    generation: number
    /** null: not used yet. */
    time_used: string | null
  }
  /** Individually revoked access tokens; deleted once they have expired. */
  product_revoked_token: {
    jti: string
    time_expires: string
  }
  /** Counters of attempts in the current window. */
  product_attempt: {
    /** What is counted, and a SHA-256 of the account or client. */
    subject: string
    count: number
    time_ends: string
  }
  /** The state of the index of templates: one row. */
  product_template_index: {
    /** Version of its tables and their contents; 0: there is no index. */
    version: number
    /** 1: it has every template except the pending ones. */
    complete: 0 | 1
    /** The highest id indexed by the rebuild in progress; null: no rebuild. */
    reached: number | null
  }
  /** Templates written or deleted by plain SQL and not indexed since. */
  product_template_pending: {
    template_id: number
  }
  /** Uploaded pictures, and small versions of these and of others. */
  product_media: {
    /** `ipfs://<content id>`, or a URL. */
    source: string
    small: number
    /** SHA-256 of the bytes, hex. */
    hash: string
    /** The media type. */
    type: string
    size: number
    bytes: Buffer
    time_created: string
  }
  /** The contents of former revisions, stored by triggers. */
  product_template_past: Omit<
    ProductTemplateTable,
    'id' | 'data' | 'name_folded' | 'name_key' | 'revision'
  > & {
    template_id: number
    number: number
    /** null: the same bytes as the next revision. */
    data: string | null
  }
  /** What is known of a revision beside its contents. Triggers insert a row with every change. */
  product_revision: {
    sequence: Generated<number>
    template_id: number
    /** From 1, without gaps; it goes on if the id is used again after a deletion. */
    number: number
    action: RevisionAction
    /** SHA-256 of `data`, hex; null for a deletion, or if it is not computed yet. */
    hash: string | null
    /** `sub` of the token and its client; null if unknown. */
    subject: string | null
    client_id: string | null
    /** What the subject was called, if it is no user of the store; null if unknown. */
    author_name: string | null
    message: string | null
    time_recorded: string
    /** Place in the feed of changes, given after the commit; null: not yet. */
    position: number | null
  }
  /** One row. */
  product_store: {
    /** The last migration that a program must know to work on the store. */
    oldest_migration: string
  }
  /** Results of requests with an Idempotency-Key, kept for a day. */
  product_idempotency: {
    /** SHA-256 of the header, the client, the subject and the field, hex. */
    key: string
    /** SHA-256 of the arguments, hex. */
    request: string
    /** JSON. */
    result: string
    time_created: string
  }
  /** Versions of what is read often; triggers change them with it. PostgreSQL has several rows for each. */
  product_version: {
    name: 'access' | 'templates'
    /** Random. */
    value: string
  }
  /** Logins of browsers at the authorization endpoint. */
  product_session: {
    /** SHA-256 of the cookie and the issuer, hex. */
    hash: string
    user_id: string
    /** `token_epoch` of the user at login; the session ends when it changes. */
    token_epoch: number
    time_created: string
    time_used: string
    /** The browser in words; null: an older program has not recorded it. */
    browser: string | null
  }
  /** Who did what to accounts, clients and keys. Triggers refuse to change and to delete rows. */
  product_audit: {
    sequence: Generated<number>
    time_recorded: string
    /** What was done: `user.add`. */
    action: string
    /** `sub` of who acted and the client; null for a command. */
    subject: string | null
    client_id: string | null
    /** The e-mail address of a user at that time, or what else is known of who acted. */
    actor_name: string | null
    address: string | null
    /** `user`, `client` or `key`. */
    target_kind: string
    target_id: string
    /** JSON. */
    details: string
  }
  /** What a user allows a client. */
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
    /** OpenID Connect Core 1.0 §3.1.2.1; null: none was sent. */
    nonce: string | null
    /** The `resource` of the request, RFC 8707; null: it named none. */
    resource: Resource | null
    /** When the user logged in; null: an older program has not recorded it. */
    time_authenticated: string | null
    time_expires: string
    /** null: not used yet. */
    time_used: string | null
    /** The family of the tokens that it was exchanged for. */
    family_id: string | null
  }
  /** Where changes are sent to. */
  product_webhook: {
    id: string
    url: string
    /** JSON of a `where`: the templates whose changes are sent; null: all. */
    template_where: string | null
    /** `created`, `updated`, `deleted`, separated by spaces. */
    events: string
    /** The key that signs, as a JWK, RFC 7517, or the JWE of one, like a signing key. */
    secret: string
    /** The key before, which signs too until `time_previous_expires`; null: none. */
    previous_secret: string | null
    time_previous_expires: string | null
    /** The last change of the feed that was sent, or is in `product_webhook_delivery`. */
    position: number
    /** Why the service disabled it; null: it did not. */
    disabled_because: string | null
    time_created: string
    /** Not when only the position changes. */
    time_modified: string
    /** null: changes are sent. */
    time_disabled: string | null
  }
  /** What could not be sent, and what waits for that because it is of the same template. */
  product_webhook_delivery: {
    webhook_id: string
    /** Place of the change in the feed. */
    position: number
    template_id: number
    /** JSON, as it is sent. */
    body: string
    attempts: number
    /** 1: it is not tried any more, and nothing waits for it. */
    dead: number
    last_error: string | null
    /** When it was stored, or given another day. */
    time_stored: string
    time_tried: string | null
    /** null: it is dead, or an earlier one of the template waits. */
    time_next: string | null
  }
  /** One row. The process that sends changes writes a new random beat every second; empty: there is none. */
  product_webhook_leader: {
    beat: string
  }
}

/** A connection or a transaction. Every function in `db/` takes it first, so the caller controls the transaction. */
export type Db = Kysely<Database>

/** A host's Kysely instance; it may have other tables, so its type is open. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, unknown would refuse every host
export type AnyDb = Kysely<any>

export type RevisionAction = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE' | 'IMPORT'

export type ProductTemplateTable = Database['product_template']
export type TemplateIndexTable = Database['product_template_index']
export type RefreshTokenTable = Database['product_refresh_token']
export type AuditTable = Selectable<Database['product_audit']>
export type WebhookRow = Selectable<Database['product_webhook']>
export type UserRow = Selectable<Database['product_user']>
export type ClientRow = Selectable<Database['product_client']>
