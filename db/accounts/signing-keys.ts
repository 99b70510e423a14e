import { timestamp } from '../../domain/timestamp.ts'
import { affectsRows } from '../affects-rows.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db, Transaction } from '../schema.ts'

/**
 * A stored private key that signs access tokens. `id` is the RFC 7638 thumbprint of the public key, `algorithm` a JWA
 * name, `privateJwk` a private JWK or a JWE of one, `accessTokenTtl` the seconds of the longest token that it signed.
 */
export type StoredKey = Awaited<ReturnType<typeof listSigningKeys>>[number]

/** Lists all keys, oldest first. */
export async function listSigningKeys(db: Db) {
  const keys = await prepared(db)
    .selectFrom('product_signing_key')
    .select(['id', 'algorithm', 'private_jwk as privateJwk', 'time_created as timeCreated'])
    .select(['time_activated as timeActivated', 'time_retired as timeRetired'])
    .select('access_token_ttl as accessTokenTtl')
    .orderBy('time_created')
    .orderBy('id')
    .execute()
  return keys.map(key => ({ ...key, status: statusOf(key) }))
}

/** A key is published as `next`, signs as `current`, and as `retired` only verifies. */
function statusOf({ timeActivated, timeRetired }: Record<'timeActivated' | 'timeRetired', string | null>) {
  if (timeRetired !== null) return 'retired'
  return timeActivated !== null ? 'current' : 'next'
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

/** Activates the next key and retires the current one. */
export async function activateSigningKey(transaction: Transaction, nextId: string): Promise<void> {
  const now = timestamp()
  await transaction
    .updateTable('product_signing_key')
    .set({ time_retired: now })
    .where('time_activated', 'is not', null)
    .where('time_retired', 'is', null)
    .execute()
  await transaction
    .updateTable('product_signing_key')
    .set({ time_activated: now })
    .where('id', '=', nextId)
    .execute()
}

/** Raises the longest lifetime of the key's tokens to `seconds`, unless it is as long. */
export async function raiseAccessTokenTtl(db: Db, id: string, seconds: number): Promise<void> {
  await db
    .updateTable('product_signing_key')
    .set({ access_token_ttl: seconds })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('access_token_ttl', 'is', null), eb('access_token_ttl', '<', seconds)]))
    .execute()
}

/** Replaces the stored form of a key, unless it has changed since it was read. */
export async function replacePrivateJwk(db: Db, id: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('product_signing_key')
    .set({ private_jwk: to })
    .where('id', '=', id)
    .where('private_jwk', '=', from)
    .execute()
}

/** Deletes a key. From now on, the tokens that it signed are invalid. Returns false if there is no such key. */
export const deleteSigningKey = (db: Db, id: string): Promise<boolean> =>
  affectsRows(db.deleteFrom('product_signing_key').where('id', '=', id))
