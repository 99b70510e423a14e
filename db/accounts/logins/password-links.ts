import type { Db } from '../../schema.ts'
import { secondsFromNow, timestamp } from '../../timestamp.ts'
import { findUnchangedUser, type StoredUser } from '../users.ts'

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
    .select(['user_id as id', 'token_epoch as tokenEpoch'])
    .where('hash', '=', hash)
    .where('time_expires', '>', timestamp())
    .executeTakeFirst()
  return row && findUnchangedUser(db, row)
}
