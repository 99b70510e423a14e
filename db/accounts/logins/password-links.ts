import type { Db } from '../../schema.ts'
import { secondsAgo, timestamp } from '../../timestamp.ts'
import type { StoredUser } from '../users.ts'

/** Seconds in which a link can be used. */
const linkLifetime = 86_400

/** Stores a link with which a user sets a password; `hash` is of its token. */
export async function insertPasswordLink(
  db: Db,
  hash: string,
  { id, tokenEpoch }: StoredUser
): Promise<void> {
  await db
    .insertInto('product_password_link')
    .values({ hash, user_id: id, token_epoch: tokenEpoch, time_expires: secondsAgo(-linkLifetime) })
    .execute()
}

/** Finds the user of a link. A new password, or disabling the user, ends all links that exist at that time. */
export async function findUserOfLink(db: Db, hash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('product_password_link')
    .innerJoin('product_user', 'product_user.id', 'user_id')
    .select('product_user.id')
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .where('time_disabled', 'is', null)
    .whereRef('product_user.token_epoch', '=', 'product_password_link.token_epoch')
    .executeTakeFirst()
  return row?.id
}
