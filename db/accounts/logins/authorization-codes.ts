import { affectsRows } from '../../affects-rows.ts'
import type { Db, Row } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'

/** Seconds for which a code is valid, RFC 6749 §4.1.2. */
const codeLifetime = 60

/** An authorization code and what it is bound to. */
export type StoredCode = Row<'product_authorization_code'>

export async function insertCode(
  db: Db,
  code: Omit<StoredCode, 'time_expires' | 'time_used' | 'family_id'>
): Promise<void> {
  await db
    .insertInto('product_authorization_code')
    .values({ ...code, time_expires: secondsFromNow(codeLifetime) })
    .execute()
}

export const findCode = (db: Db, hash: string): Promise<StoredCode | undefined> =>
  db.selectFrom('product_authorization_code').selectAll().where('hash', '=', hash).executeTakeFirst()

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
