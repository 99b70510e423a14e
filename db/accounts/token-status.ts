import type { Db } from '../schema.ts'

/** What a token says of itself that can be ended before its time. */
export interface TokenSubject {
  jti: string
  /** Id of its family; a token without one has none. */
  sid?: string | undefined
  sub: string
  /** Of the user whom `sub` names; a refresh token has none, its family ends instead. */
  epoch?: number | undefined
  clientId: string
  /** The key that signed it, where that is one of the database. */
  kid?: string | undefined
}

/** What ended a token before its time; undefined while it is good. One statement, by primary keys only. */
export async function endOfToken(
  db: Db,
  { jti, sid, sub, epoch, clientId, kid }: TokenSubject
): Promise<string | undefined> {
  const row = await db
    .selectNoFrom([
      query =>
        query
          .selectFrom('product_signing_key')
          .select('id')
          .where('id', '=', kid ?? '')
          .as('key'),
      query => query.selectFrom('product_revoked_token').select('jti').where('jti', '=', jti).as('token'),
      query =>
        query
          .selectFrom('product_token_family')
          .select('id')
          .where('id', '=', sid ?? '')
          .where('time_revoked', 'is', null)
          .as('family'),
      query =>
        query
          .selectFrom('product_user')
          .select('id')
          .where('id', '=', sub)
          .where(({ or, eb }) =>
            or([
              eb('time_disabled', 'is not', null),
              ...(epoch === undefined ? [] : [eb('token_epoch', '!=', epoch)])
            ])
          )
          .as('user'),
      query =>
        query.selectFrom('product_client').select('time_disabled').where('id', '=', clientId).as('client')
    ])
    .executeTakeFirstOrThrow()
  if (kid !== undefined && row.key === null) return 'its key was removed'
  if (row.token !== null) return 'the token was revoked'
  // One that is not there was revoked, too, and forgotten since.
  if (sid !== undefined && row.family === null) return 'its family was revoked'
  if (row.user !== null) return 'the user is disabled, or was, or has a new password'
  if (row.client !== null) return 'the client is disabled'
  return undefined
}

/** Ends an access token before its time. `expires` in seconds since the epoch. Twice is once. */
export async function revokeToken(db: Db, jti: string, expires: number): Promise<void> {
  await db
    .insertInto('product_revoked_token')
    .values({ jti, time_expires: new Date(expires * 1000).toISOString().replace('Z', '000Z') })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Forgets the revoked tokens that have expired by now. `now` as stored. */
export async function deleteExpiredRevocations(db: Db, now: string): Promise<void> {
  await db.deleteFrom('product_revoked_token').where('time_expires', '<', now).execute()
}
