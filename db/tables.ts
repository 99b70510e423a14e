import type { Database } from './schema.ts'

/** The facts about a table for code that copies, deletes or encrypts its rows. */
export interface TableFacts {
  /** Its primary key, in whose order rows are copied to another database. */
  key: string[]
  /** The column whose values may have megabytes. */
  longColumn?: string
  /** Whether rows are of no use after their `time_expires`. */
  expires?: boolean
  /** The column with a replaced secret, which is of no use after `time_previous_expires`. */
  previousSecret?: string
  /** Whether its rows belong to one database, so that no copy has them. */
  isLocal?: boolean
  /**
   * Its columns with keys that `sealKey` has made, and the action that records their new encryption. Its key is `id`.
   */
  sealed?: { columns: string[]; action: `${string}.${string}` }
}

/** Tables by their names. A table comes after the tables that it references. */
export type Tables = Readonly<Record<string, TableFacts>>

/** The tables of the core. */
export const coreTables: Record<keyof Database, TableFacts> = {
  product_client: { key: ['id'], previousSecret: 'previous_secret_hash' },
  product_user: { key: ['id'] },
  product_user_wallet: { key: ['user_id', 'position'] },
  product_password_link: { key: ['hash'], expires: true },
  // Before the templates: their triggers record only revisions that are missing.
  product_template_past: { key: ['template_id', 'number'], longColumn: 'data' },
  product_revision: { key: ['sequence'] },
  product_bulk_change: { key: ['sequence'] },
  product_template: { key: ['id'], longColumn: 'data' },
  product_signing_key: {
    key: ['id'],
    sealed: { columns: ['private_jwk'], action: 'key.reencrypt' }
  },
  product_token_family: { key: ['id'] },
  product_refresh_token: { key: ['hash'] },
  product_authorization_code: { key: ['hash'] },
  product_session: { key: ['hash'] },
  product_consent: { key: ['user_id', 'client_id'] },
  product_revoked_token: { key: ['jti'], expires: true },
  product_attempt: { key: ['subject'] },
  product_idempotency: { key: ['key'], longColumn: 'result' },
  product_audit: { key: ['sequence'] },
  product_store: { key: ['id'], isLocal: true },
  product_template_index: { key: ['id'], isLocal: true },
  product_template_pending: { key: ['template_id'], isLocal: true },
  product_version: { key: ['name'], isLocal: true }
}
