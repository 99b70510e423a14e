import type { SelectQueryBuilder } from 'kysely'
import { prepared } from '../dialects/prepared.ts'
import type { Database, Db } from '../schema.ts'
import { clockSkewSeconds, secondsAgo } from '../timestamp.ts'

/** Everything that can end a token before it expires. */
export interface TokenSubject {
  jti: string
  /** Id of its family of refresh tokens, if it has one. */
  sid?: string | undefined
  /** Its user; a token for a client or for a subject that only the host knows has none. */
  user?: TokenOwner | undefined
  client: TokenOwner
  /** The key that signed it, if it is in the database. */
  kid?: string | undefined
}

/** A user or a client. */
interface TokenOwner {
  id: string
  /** `tokenEpoch` when the token was issued. A refresh token has none; its family ends instead. */
  epoch?: number | undefined
}

/** Tells why a token was ended; undefined if it is valid. Uses one statement with primary keys only. */
export async function endOfToken(
  db: Db,
  { jti, sid, user, client, kid }: TokenSubject
): Promise<string | undefined> {
  const row = await prepared(db)
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
      query => selectOwner(query.selectFrom('product_user'), user ?? { id: '' }).as('user'),
      query => selectOwner(query.selectFrom('product_client'), client).as('client')
    ])
    .executeTakeFirstOrThrow()
  if (kid !== undefined && row.key === null) return 'its key was removed'
  if (row.token !== null) return 'the token was revoked'
  // A missing family was revoked and has been deleted since.
  if (sid !== undefined && row.family === null) return 'its family was revoked'
  if (user && row.user === null) return 'the user was deleted or disabled, or has a new password'
  if (row.client === null) return 'the client is disabled or was deleted'
  return undefined
}

/** Selects the user or client if its tokens are valid. */
const selectOwner = <Table extends 'product_user' | 'product_client'>(
  from: SelectQueryBuilder<Database, Table, object>,
  { id, epoch }: TokenOwner
) =>
  (from as SelectQueryBuilder<Database, 'product_user', object>)
    .select('id')
    .where('id', '=', id)
    .where('time_disabled', 'is', null)
    .$if(epoch !== undefined, found => found.where('token_epoch', '=', epoch as number))

/** Revokes an access token; idempotent. `expires` is in seconds since the epoch. */
export async function revokeToken(db: Db, jti: string, expires: number): Promise<void> {
  await db
    .insertInto('product_revoked_token')
    .values({ jti, time_expires: new Date(expires * 1000).toISOString().replace('Z', '000Z') })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}

/** Deletes the revocations of tokens that have expired by the clock of every instance. */
export async function deleteExpiredRevocations(db: Db): Promise<void> {
  await db
    .deleteFrom('product_revoked_token')
    .where('time_expires', '<', secondsAgo(clockSkewSeconds))
    .execute()
}
