import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'
import { timestamp } from '../timestamp.ts'

/** A stored private key that signs access tokens. */
export interface StoredKey {
  /** `kid`: the RFC 7638 thumbprint of the public key. */
  id: string
  /** JWA name, RFC 7518 §3.1. */
  algorithm: string
  /** A private JWK, or a JWE that contains one. */
  privateJwk: string
  timeCreated: string
  /** `next` is published but does not sign yet; `current` signs; `retired` only verifies. */
  status: 'next' | 'current' | 'retired'
  timeActivated: string | null
  timeRetired: string | null
  /** Longest lifetime of a token it signed, in seconds. */
  accessTokenTtl: number | null
}

/** Lists all keys, oldest first. */
export async function listSigningKeys(db: Db): Promise<StoredKey[]> {
  const rows = await prepared(db)
    .selectFrom('product_signing_key')
    .selectAll()
    .orderBy('time_created')
    .orderBy('id')
    .execute()
  return rows.map(row => ({
    id: row.id,
    algorithm: row.algorithm,
    privateJwk: row.private_jwk,
    timeCreated: row.time_created,
    status: row.time_retired !== null ? 'retired' : row.time_activated !== null ? 'current' : 'next',
    timeActivated: row.time_activated,
    timeRetired: row.time_retired,
    accessTokenTtl: row.access_token_ttl
  }))
}

/** Inserts a new key as the next one or the current one. */
export async function insertSigningKey(
  db: Db,
  { id, algorithm, privateJwk }: Pick<StoredKey, 'id' | 'algorithm' | 'privateJwk'>,
  status: 'next' | 'current'
): Promise<void> {
  const now = timestamp()
  await db
    .insertInto('product_signing_key')
    .values({
      id,
      algorithm,
      private_jwk: privateJwk,
      time_created: now,
      time_activated: status === 'current' ? now : null
    })
    .execute()
}

/** Activates the next key and retires the current one; `db` is a transaction. */
export async function activateSigningKey(db: Db, nextId: string): Promise<void> {
  const now = timestamp()
  await db
    .updateTable('product_signing_key')
    .set({ time_retired: now })
    .where('time_activated', 'is not', null)
    .where('time_retired', 'is', null)
    .execute()
  await db.updateTable('product_signing_key').set({ time_activated: now }).where('id', '=', nextId).execute()
}

/** Raises the longest lifetime of the key's tokens to `seconds`, if it is shorter. */
export async function raiseAccessTokenTtl(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .updateTable('product_signing_key')
    .set({ access_token_ttl: seconds })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('access_token_ttl', 'is', null), eb('access_token_ttl', '<', seconds)]))
    .execute()
}

/** Replaces the stored form of a private key. */
export async function updatePrivateKey(db: Db, id: string, privateJwk: string): Promise<void> {
  await db.updateTable('product_signing_key').set({ private_jwk: privateJwk }).where('id', '=', id).execute()
}

/** Replaces one stored form of a private key by another; false if it has changed since. */
export async function replacePrivateKey(db: Db, id: string, from: string, to: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('product_signing_key')
    .set({ private_jwk: to })
    .where('id', '=', id)
    .where('private_jwk', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a key; tokens it signed are refused from now on. Returns false if there is no such key. */
export async function deleteSigningKey(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('product_signing_key')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
