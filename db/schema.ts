import type { Kysely, Selectable } from 'kysely'

/**
 * The tables as types. Names begin with `product_`, so that they can share a database with a host's own.
 * Timestamps are UTC with microseconds, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, and sort as text.
 */
export interface Database {
  product_template: ProductTemplateTable
  product_user: UserTable
  product_user_wallet: UserWalletTable
  product_client: ClientTable
  product_signing_key: SigningKeyTable
}

/** A connection or a transaction: every repository function takes one first, so the caller owns it. */
export type Db = Kysely<Database>

/** A host's Kysely instance: it may hold tables of its own, so it is of any type. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely is invariant in its tables, unknown would refuse every host
export type AnyDb = Kysely<any>

export interface ProductTemplateTable {
  /** 0 to 2^31-1, with gaps. */
  id: number
  blockchain_id: number
  /** 1 to 2^31-1. */
  max_items: number
  name: string
  /** 0 or 1: the one spelling of a boolean that every engine and every host's driver binds. */
  public_product: number
  component_name: string
  time_created: string
  time_modified: string
  /** A JSON document as it was given, byte for byte. */
  data: string
}

export interface UserTable {
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
}

export interface UserWalletTable {
  user_id: string
  /** Order of the wallets, from 0. */
  position: number
  /** Address on a blockchain. */
  address: string
}

export interface ClientTable {
  /** `client_id`, RFC 6749 §2.2. */
  id: string
  /** SHA-256 of the secret, hex. The secret is random, so a slow hash would add nothing. */
  secret_hash: string
  /** Grant types the client may use, separated by spaces. */
  grant_types: string
  /** Scopes the client may ask for, separated by spaces, in canonical order. */
  scope: string
  time_created: string
  time_modified: string
  /** null: the client may authenticate. */
  time_disabled: string | null
}

export interface SigningKeyTable {
  /** `kid`: the RFC 7638 thumbprint of the public key. */
  id: string
  /** JWA name, RFC 7518 §3.1. */
  algorithm: string
  /** The private key as a JWK, RFC 7517. */
  private_jwk: string
  time_created: string
}

export type UserRow = Selectable<UserTable>
export type ClientRow = Selectable<ClientTable>
export type SigningKeyRow = Selectable<SigningKeyTable>
