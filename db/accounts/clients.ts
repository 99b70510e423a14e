/** The rows of clients. Changes by administrators, commands and hosts go through `accounts/clients.ts`. */
import { randomInt } from 'node:crypto'
import { timestamp } from '../../domain/timestamp.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db, Row, Transaction } from '../schema.ts'

/** An OAuth 2.0 client, RFC 6749 §2. */
export type StoredClient = ReturnType<typeof toClient>

const toClient = (row: Row<'product_client'>) => ({
  id: row.id,
  /** SHA-256, hex. The hash of a public client matches no secret. */
  secretHash: row.secret_hash,
  /** SHA-256 of the previous secret, hex, while the previous secret is valid. */
  previousSecretHash: (row.time_previous_expires ?? '') > timestamp() ? row.previous_secret_hash : null,
  grantTypes: row.grant_types.split(' '),
  /** Scopes that the client may request. */
  scopes: row.scope.split(' '),
  /** Whether the client may introspect the tokens of other clients, RFC 7662 §4. */
  mayIntrospect: row.may_introspect === 1,
  /** Whether the client has no secret and identifies itself by its id only, RFC 6749 §2.1. */
  isPublic: row.is_public === 1,
  /** Redirection endpoints, RFC 6749 §3.1.2. */
  redirectUris: row.redirect_uris.split(' ').filter(uri => uri !== ''),
  /** Whether the client belongs to the operator, so that users are not asked for their consent. */
  firstParty: row.first_party === 1,
  /** The name that users see; if empty, they see the id. */
  displayName: row.display_name,
  disabled: row.time_disabled !== null,
  /** A token of another epoch was issued to an earlier client with the same id. */
  tokenEpoch: row.token_epoch
})

/** A client to insert. The properties for authorization codes are optional. */
export type ClientToInsert = Pick<
  StoredClient,
  'id' | 'secretHash' | 'grantTypes' | 'scopes' | 'mayIntrospect'
> &
  Partial<Pick<StoredClient, 'isPublic' | 'redirectUris' | 'firstParty' | 'displayName'>>

/** The properties of a client that can change. */
type ClientChange = Partial<
  Omit<StoredClient, 'id' | 'isPublic' | 'secretHash' | 'previousSecretHash' | 'tokenEpoch'>
>

export async function findStoredClient(db: Db, id: string): Promise<StoredClient | undefined> {
  const row = await prepared(db)
    .selectFrom('product_client')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toClient(row)
}

/** Lists all clients by id. */
export async function listStoredClients(db: Db): Promise<StoredClient[]> {
  const rows = await db.selectFrom('product_client').selectAll().orderBy('id').execute()
  return rows.map(toClient)
}

/** Tables whose rows belong to a client and a user. */
const tablesOfClients = ['product_token_family', 'product_authorization_code', 'product_consent'] as const

/** Inserts a client, and deletes the rows that an earlier client with this id left behind. */
export async function insertClient(transaction: Transaction, client: ClientToInsert): Promise<void> {
  const now = timestamp()
  // Somebody who deletes a client in the SQLite shell without foreign keys leaves these rows behind.
  for (const table of tablesOfClients)
    await transaction.deleteFrom(table).where('client_id', '=', client.id).execute()
  await transaction
    .insertInto('product_client')
    .values({
      ...toColumns(client),
      id: client.id,
      secret_hash: client.secretHash,
      grant_types: client.grantTypes.join(' '),
      scope: client.scopes.join(' '),
      is_public: client.isPublic ? 1 : 0,
      token_epoch: randomInt(1, 2 ** 31),
      time_created: now,
      time_modified: now
    })
    .execute()
}

/** Converts properties to columns. Undefined columns stay as they are. */
const toColumns = ({ disabled, ...rights }: ClientChange) => ({
  grant_types: rights.grantTypes?.join(' '),
  scope: rights.scopes?.join(' '),
  may_introspect: rights.mayIntrospect === undefined ? undefined : Number(rights.mayIntrospect),
  redirect_uris: rights.redirectUris?.join(' '),
  first_party: rights.firstParty === undefined ? undefined : Number(rights.firstParty),
  display_name: rights.displayName,
  ...(disabled !== undefined && { time_disabled: disabled ? timestamp() : null })
})

export async function updateStoredClient(db: Db, id: string, change: ClientChange): Promise<void> {
  await db
    .updateTable('product_client')
    .set({ ...toColumns(change), time_modified: timestamp() })
    .where('id', '=', id)
    .execute()
}

/** Replaces the secret. With `keepUntil`, the old secret stays valid until that time; otherwise it becomes invalid. */
export async function updateSecret(
  db: Db,
  id: string,
  secretHash: string,
  keepUntil: string | null
): Promise<void> {
  await db
    .updateTable('product_client')
    .set(({ ref }) => ({
      secret_hash: secretHash,
      previous_secret_hash: keepUntil === null ? null : ref('secret_hash'),
      time_previous_expires: keepUntil,
      time_modified: timestamp()
    }))
    .where('id', '=', id)
    .execute()
}

/** Deletes a client and its logins, which ends all its tokens. */
export async function deleteClient(db: Db, id: string): Promise<void> {
  await db.deleteFrom('product_client').where('id', '=', id).execute()
}
