import { affectsRows } from '../../affects-rows.ts'
import type { Db } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'

/** Seconds for which a code is valid, RFC 6749 §4.1.2. */
const codeLifetime = 60

export async function insertCode(
  db: Db,
  { scopes, ...code }: Omit<StoredCode, 'expired' | 'familyId'>
): Promise<void> {
  await db
    .insertInto('product_authorization_code')
    .values({
      hash: code.hash,
      client_id: code.clientId,
      user_id: code.userId,
      token_epoch: code.epoch,
      redirect_uri: code.redirectUri,
      challenge: code.challenge,
      scope: scopes.join(' '),
      nonce: code.nonce,
      resource: code.resource,
      time_authenticated: code.timeAuthenticated,
      time_expires: secondsFromNow(codeLifetime)
    })
    .execute()
}

/** An authorization code and what it is bound to. `hash` is a SHA-256, hex; `epoch` is that of the user at login. */
export type StoredCode = NonNullable<Awaited<ReturnType<typeof findCode>>>

export async function findCode(db: Db, hash: string) {
  const found = await db
    .selectFrom('product_authorization_code')
    .select(['hash', 'client_id as clientId', 'user_id as userId', 'token_epoch as epoch'])
    .select(['redirect_uri as redirectUri', 'challenge', 'scope', 'time_expires', 'family_id as familyId'])
    .select(['nonce', 'resource', 'time_authenticated as timeAuthenticated'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!found) return undefined
  const { scope, time_expires, ...code } = found
  return { ...code, scopes: scope.split(' '), expired: time_expires <= timestamp() }
}

/** Marks a code as used. Returns false if it was used before, so only one of several concurrent attempts succeeds. */
export const useCode = (db: Db, hash: string): Promise<boolean> =>
  affectsRows(
    db
      .updateTable('product_authorization_code')
      .set({ time_used: timestamp() })
      .where('hash', '=', hash)
      .where('time_used', 'is', null)
  )

/** Records the family of the tokens for a code, so that a second use of the code can end them. */
export async function recordFamily(db: Db, hash: string, familyId: string): Promise<void> {
  await db
    .updateTable('product_authorization_code')
    .set({ family_id: familyId })
    .where('hash', '=', hash)
    .execute()
}
