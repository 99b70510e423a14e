import { invalidToken } from '../../errors.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'
import { formatTimestamp } from '../timestamp.ts'
import { type Role, toRole } from './rights.ts'

/** The parts of a token that decide whether it was ended before its expiry. */
export interface TokenSubject {
  jti: string
  /** Id of its family of refresh tokens, if it has one. */
  sid?: string | undefined
  /** Its user. A token for a client, or for a subject that only the host knows, has none. */
  userId?: string | undefined
  clientId: string
  /** `tokenEpoch` of both when the token was issued. A refresh token has none, because its family ends instead. */
  userEpoch?: number
  clientEpoch?: number
  /** The key that signed it, if it is in the database. */
  kid?: string | undefined
}

/** The rights of a token's user; none without a user. */
export interface UserRights {
  role?: Role
  /** The templates that the user may see and write, as JSON of a `where`; null: all. */
  where?: string | null
}

/**
 * Finds out whether a token was ended, by one statement with primary keys only. Throws `invalid_token` if it was.
 */
export async function requireNotEnded(
  db: Db,
  { jti, sid, userId, clientId, userEpoch, clientEpoch, kid }: TokenSubject
): Promise<UserRights> {
  const row = await prepared(db)
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('product_signing_key')
        .select('id')
        .where('id', '=', kid ?? '')
        .as('key'),
      selectFrom('product_revoked_token').select('jti').where('jti', '=', jti).as('token'),
      selectFrom('product_token_family')
        .select('id')
        .where('id', '=', sid ?? '')
        .where('time_revoked', 'is', null)
        .as('family'),
      selectFrom('product_user')
        .select('token_epoch')
        .where('id', '=', userId ?? '')
        .where('time_disabled', 'is', null)
        .as('userEpoch'),
      ...(['role', 'template_where'] as const).map(column =>
        selectFrom('product_user')
          .select(column)
          .where('id', '=', userId ?? '')
          .as(column)
      ),
      selectFrom('product_client')
        .select('token_epoch')
        .where('id', '=', clientId)
        .where('time_disabled', 'is', null)
        .as('clientEpoch')
    ])
    .executeTakeFirstOrThrow()
  if (kid !== undefined && row.key === null) throw invalidToken('its key was removed', 'unknown_key')
  if (row.token !== null) throw invalidToken('the token was revoked', 'revoked')
  // A missing family was revoked and then deleted.
  if (sid !== undefined && row.family === null) throw invalidToken('its family was revoked', 'revoked')
  if (userId !== undefined && hasEnded(userEpoch, row.userEpoch))
    throw invalidToken('the user was deleted or disabled, or has a new password', 'account_ended')
  if (hasEnded(clientEpoch, row.clientEpoch))
    throw invalidToken('the client is disabled or was deleted', 'account_ended')
  return row.role === null ? {} : { role: toRole(row.role), where: row.template_where }
}

const hasEnded = (issued: number | undefined, stored: number | null): boolean =>
  stored === null || (issued ?? stored) !== stored

/** Revokes an access token; idempotent. `expires` is in seconds since the epoch. */
export async function revokeToken(db: Db, jti: string, expires: number): Promise<void> {
  await db
    .insertInto('product_revoked_token')
    .values({ jti, time_expires: formatTimestamp(expires * 1_000_000) })
    .onConflict(conflict => conflict.doNothing())
    .execute()
}
