/**
 * Rows that work once and for a limited time: authorization codes, and links for setting a password. The database has
 * only hashes of their secrets.
 */
import { secondsFromNow, timestamp } from '../../../domain/timestamp.ts'
import { affectsRows } from '../../affects-rows.ts'
import type { Db, Row, Transaction } from '../../schema.ts'
import { findUnchangedUser, type StoredUser } from '../users.ts'

/** Seconds for which a code is valid, RFC 6749 §4.1.2. */
const codeLifetime = 60
/** Seconds for which a link is valid. */
const linkLifetime = 86_400

/** An authorization code and the request that it is bound to. A used code is kept, so that a second use is noticed. */
export type StoredCode = Row<'product_authorization_code'>

export async function insertCode(
  db: Db,
  code: Omit<StoredCode, 'time_expires' | 'time_used' | 'family_id'>
): Promise<void> {
  const values = { ...code, time_expires: secondsFromNow(codeLifetime) }
  await db.insertInto('product_authorization_code').values(values).execute()
}

export async function insertLink(db: Db, { id, tokenEpoch }: StoredUser, hash: string): Promise<void> {
  const values = { hash, user_id: id, token_epoch: tokenEpoch, time_expires: secondsFromNow(linkLifetime) }
  await db.insertInto('product_password_link').values(values).execute()
}

/** Finds the user of a link. All links of a user become invalid when the password changes or the user is disabled. */
export async function findUserOfLink(db: Db, hash: string): Promise<StoredUser | undefined> {
  const row = await db
    .selectFrom('product_password_link')
    .select(['user_id as id', 'token_epoch as tokenEpoch'])
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .executeTakeFirst()
  return row && findUnchangedUser(db, row)
}

export const findCode = (db: Db, hash: string): Promise<StoredCode | undefined> =>
  db.selectFrom('product_authorization_code').selectAll().where('hash', '=', hash).executeTakeFirst()

/** Marks a code as used. Returns false if it was used before, so only one of several concurrent attempts succeeds. */
export const useCode = (transaction: Transaction, hash: string): Promise<boolean> =>
  affectsRows(
    transaction
      .updateTable('product_authorization_code')
      .set({ time_used: timestamp() })
      .where('hash', '=', hash)
      .where('time_used', 'is', null)
  )

/** Records the family of the tokens for a code, so that a second use of the code can end them. */
export async function recordFamily(transaction: Transaction, hash: string, familyId: string): Promise<void> {
  await transaction
    .updateTable('product_authorization_code')
    .set({ family_id: familyId })
    .where('hash', '=', hash)
    .execute()
}
