import type { Db } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'
import { findUserById, type StoredUser } from '../users.ts'

/** Seconds for which a link is valid. */
const linkLifetime = 86_400

/** Stores a link for setting a password; `hash` is that of its token. */
export async function insertPasswordLink(
  db: Db,
  hash: string,
  { id, tokenEpoch }: StoredUser
): Promise<void> {
  await db
    .insertInto('product_password_link')
    .values({ hash, user_id: id, token_epoch: tokenEpoch, time_expires: secondsFromNow(linkLifetime) })
    .execute()
}

/** Finds the user of a link. All links of a user become invalid when the password changes or the user is disabled. */
export async function findUserOfLink(db: Db, hash: string): Promise<StoredUser | undefined> {
  const row = await db
    .selectFrom('product_password_link')
    .innerJoin('product_user', 'product_user.id', 'user_id')
    .select('product_user.id')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .where('time_disabled', 'is', null)
    .whereRef('product_user.token_epoch', '=', 'product_password_link.token_epoch')
    .executeTakeFirst()
  return row && findUserById(db, row.id)
}
