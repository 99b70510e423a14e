import type { webcrypto } from 'node:crypto'
import type { Db } from '../schema.ts'
import { timestamp } from '../timestamp.ts'

/** A private key that signs access tokens. */
export interface SigningKey {
  /** `kid`: the RFC 7638 thumbprint of the public key. */
  id: string
  /** JWA name, RFC 7518 §3.1. */
  algorithm: 'ES256'
  privateJwk: webcrypto.JsonWebKey
}

/** The key the service signs with: the oldest. */
export async function findSigningKey(db: Db): Promise<SigningKey | undefined> {
  const row = await db
    .selectFrom('product_signing_key')
    .selectAll()
    .orderBy('time_created')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row && { id: row.id, algorithm: 'ES256', privateJwk: JSON.parse(row.private_jwk) }
}

export async function insertSigningKey(db: Db, key: SigningKey): Promise<void> {
  await db
    .insertInto('product_signing_key')
    .values({
      id: key.id,
      algorithm: key.algorithm,
      private_jwk: JSON.stringify(key.privateJwk),
      time_created: timestamp()
    })
    .execute()
}
