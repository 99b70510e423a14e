import type { Db, Row, Transaction } from '../../db/schema.ts'
import { timestamp } from '../../domain/timestamp.ts'

/** An account at an OpenID provider, OpenID Connect Core 1.0 §5.7. */
export type Identity = Pick<Row<'product_identity'>, 'issuer' | 'subject'>

/** Finds the id of the user who logs in with an identity. */
export async function findUserOfIdentity(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db
    .selectFrom('product_identity')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** Lets a user log in with an identity, and no other user any more. */
export async function linkIdentity(
  transaction: Transaction,
  userId: string,
  identity: Identity
): Promise<void> {
  await unlinkIdentity(transaction, identity)
  await transaction
    .insertInto('product_identity')
    .values({ ...identity, user_id: userId, time_created: timestamp() })
    .execute()
}

export async function unlinkIdentity(db: Db, { issuer, subject }: Identity): Promise<void> {
  await db
    .deleteFrom('product_identity')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Lists the identities that a user logs in with. */
export const listIdentities = (db: Db, userId: string): Promise<Identity[]> =>
  db
    .selectFrom('product_identity')
    .select(['issuer', 'subject'])
    .where('user_id', '=', userId)
    .orderBy('issuer')
    .orderBy('subject')
    .execute()
