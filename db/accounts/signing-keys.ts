import type { Db } from '../schema.ts'
import { timestamp } from '../timestamp.ts'

/** A private key that signs access tokens, as it is stored. */
export interface StoredKey {
  /** `kid`: the RFC 7638 thumbprint of the public key. */
  id: string
  /** JWA name, RFC 7518 §3.1. */
  algorithm: string
  /** A private JWK, or the JWE of one. */
  privateJwk: string
  timeCreated: string
  /** `next` is published and does not sign yet; `current` signs; `retired` only verifies. */
  status: 'next' | 'current' | 'retired'
  timeActivated: string | null
  timeRetired: string | null
  /** The longest lifetime of a token it signed, in seconds. */
  accessTokenTtl: number | null
}

/** Every key, the oldest first. */
export async function listSigningKeys(db: Db): Promise<StoredKey[]> {
  const rows = await db
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

/** Stores a new key: as the next one, or to sign at once. */
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

/** Lets the next key sign and the current one rest: the caller gives a transaction. */
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

/** Remembers that the key signs tokens that live for so many seconds, if none has lived longer. */
export async function raiseAccessTokenTtl(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .updateTable('product_signing_key')
    .set({ access_token_ttl: seconds })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('access_token_ttl', 'is', null), eb('access_token_ttl', '<', seconds)]))
    .execute()
}

/** Puts the private key into another form. */
export async function updatePrivateKey(db: Db, id: string, privateJwk: string): Promise<void> {
  await db.updateTable('product_signing_key').set({ private_jwk: privateJwk }).where('id', '=', id).execute()
}

/** Forgets a key: tokens it signed are refused from now on. False when there is none. */
export async function deleteSigningKey(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('product_signing_key')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
