import { type Role, toRole } from '../../domain/rights.ts'
import { formatTimestamp } from '../../domain/timestamp.ts'
import { prepared } from '../dialects/prepared.ts'
import type { Db } from '../schema.ts'

/** The parts of a token that decide whether it was ended before its expiry. */
export interface TokenSubject {
  jti: string
  /** Id of its family of refresh tokens, if it has one. */
  sid?: string | undefined
  /** Its user. A token for a client, or for a subject that only the host knows, has none. */
  userId?: string | undefined
  clientId: string
  /** `tokenEpoch` of client and user at the time of issue. A refresh token has none: its family ends instead. */
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

/** Why a token was ended before its expiry: a label of the metrics, and a text for the log. */
interface TokenEnd {
  reason: 'account_ended' | 'revoked' | 'unknown_key'
  detail: string
}

/** Reads by one statement whether a token was ended, and the rights of its user. It uses primary keys only. */
export async function readTokenStatus(db: Db, subject: TokenSubject) {
  const facts = await readFacts(db, subject)
  const { role, template_where: where } = facts
  const rights: UserRights = role === null ? {} : { role: toRole(role), where }
  return { ended: findEnd(subject, facts), rights }
}

const readFacts = (db: Db, { jti, sid, userId, clientId, kid }: TokenSubject) =>
  prepared(db)
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

function findEnd(
  { sid, userId, userEpoch, clientEpoch, kid }: TokenSubject,
  { key, token, family, ...epochs }: Awaited<ReturnType<typeof readFacts>>
): TokenEnd | undefined {
  if (kid !== undefined && key === null) return { reason: 'unknown_key', detail: 'its key was removed' }
  if (token !== null) return { reason: 'revoked', detail: 'the token was revoked' }
  // A missing family was revoked and then deleted.
  if (sid !== undefined && family === null) return { reason: 'revoked', detail: 'its family was revoked' }
  if (userId !== undefined && hasEnded(userEpoch, epochs.userEpoch)) {
    const detail = 'the user was deleted or disabled, has a new password, or has ended all logins'
    return { reason: 'account_ended', detail }
  }
  if (hasEnded(clientEpoch, epochs.clientEpoch))
    return { reason: 'account_ended', detail: 'the client is disabled or was deleted' }
  return undefined
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
