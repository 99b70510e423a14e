import type { Db } from '../schema.ts'
import { clockSkewSeconds, secondsAgo, timestamp } from '../timestamp.ts'

/** An authorization code and what it is bound to. */
export interface AuthorizationCode {
  /** SHA-256, hex. */
  hash: string
  clientId: string
  userId: string
  /** `tokenEpoch` of the user at login. */
  epoch: number
  redirectUri: string
  challenge: string
  scopes: string[]
}

/** A stored code: whether it can still be used, and the family of the tokens that it was exchanged for. */
export interface StoredCode extends AuthorizationCode {
  expired: boolean
  familyId: string | undefined
}

/** Seconds in which a code can be used, RFC 6749 §4.1.2, and in which its second use is noticed. */
const lifetime = 60
const remembered = 86_400

export async function insertCode(db: Db, code: AuthorizationCode): Promise<void> {
  await db
    .insertInto('product_authorization_code')
    .values({
      hash: code.hash,
      client_id: code.clientId,
      user_id: code.userId,
      token_epoch: code.epoch,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      scope: code.scopes.join(' '),
      time_expires: secondsAgo(-lifetime)
    })
    .execute()
}

export async function findCode(db: Db, hash: string): Promise<StoredCode | undefined> {
  const row = await db
    .selectFrom('product_authorization_code')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirst()
  return (
    row && {
      hash,
      clientId: row.client_id,
      userId: row.user_id,
      epoch: row.token_epoch,
      redirectUri: row.redirect_uri,
      challenge: row.challenge,
      scopes: row.scope.split(' '),
      expired: row.time_expires <= timestamp(),
      familyId: row.family_id ?? undefined
    }
  )
}

/** Uses a code up. Returns false if it was used before, so of several concurrent attempts one succeeds. */
export async function useCode(db: Db, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('product_authorization_code')
    .set({ time_used: timestamp() })
    .where('hash', '=', hash)
    .where('time_used', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Notes the family of the tokens, so that a second use of the code can end them. */
export async function noteFamily(db: Db, hash: string, familyId: string): Promise<void> {
  await db
    .updateTable('product_authorization_code')
    .set({ family_id: familyId })
    .where('hash', '=', hash)
    .execute()
}

/** Deletes expired codes. Of one that was not used, a second use means nothing. */
export async function deleteOldCodes(db: Db): Promise<void> {
  await db
    .deleteFrom('product_authorization_code')
    .where('time_expires', '<', secondsAgo(clockSkewSeconds))
    .where(({ or, eb }) => or([eb('time_used', 'is', null), eb('time_expires', '<', secondsAgo(remembered))]))
    .execute()
}
