import { randomUUID } from 'node:crypto'
import { generateSecret, hashSecret } from '../../credentials/secret.ts'
import type { Client } from '../../db/accounts/clients.ts'
import {
  findRefreshToken,
  insertFamily,
  revokeFamily,
  rotateRefreshToken,
  type TokenFamily
} from '../../db/accounts/refresh-tokens.ts'
import { findUserById, tokenEpochOf, type User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/schema.ts'
import { formatTimestamp, timestamp } from '../../db/timestamp.ts'
import { transact } from '../../db/transaction.ts'
import { invalidGrant } from '../../errors.ts'
import type { GrantRequest } from './grant.ts'

/**
 * Begins a family and returns its first refresh token. Throws `invalid_grant` if the user's password was changed or the
 * user was disabled since `user` was read, because that did not revoke this family.
 */
export const beginFamily = (request: GrantRequest, user: User, scopes: string[]): Promise<BegunFamily> =>
  transact(request.db, async db => {
    if ((await tokenEpochOf(db, user.id)) !== user.tokenEpoch)
      throw invalidGrant(`user ${user.id} has changed since`)
    return createFamily({ ...request, db }, user.id, scopes)
  })

/** A family and its first refresh token. */
export interface BegunFamily {
  sid: string
  refreshToken: string
}

/** Creates a family; `db` is a transaction. */
export async function createFamily(
  { db, client, parameters, settings }: GrantRequest,
  userId: string,
  scopes: string[]
): Promise<BegunFamily> {
  const refreshToken = generateSecret()
  const timeExpires = formatTimestamp((Date.now() + settings.refreshTokenTtl * 1000) * 1000)
  const { grant_type: grantType } = parameters
  const family = { id: randomUUID(), clientId: client.id, userId, grantType, scopes, timeExpires }
  await insertFamily(db, family, hashSecret(refreshToken))
  return { sid: family.id, refreshToken }
}

/** A continued family. */
export interface Refreshed {
  user: User
  sid: string
  /** The grant that it began with. */
  grantType: string
  scopes: string[]
  refreshToken: string
}

/**
 * Exchanges a refresh token for the next one of its family, RFC 9700 §4.14.2. It uses one transaction, so that after a
 * crash either the old token or the new one works. `scopes` selects from those of the family and may throw. Throws
 * `invalid_grant`; reusing a token revokes the family.
 */
export async function continueFamily(
  request: GrantRequest,
  given: string,
  scopes: (all: string[]) => string[]
): Promise<Refreshed> {
  const outcome = await transact(request.db, transaction =>
    exchange({ ...request, db: transaction }, given, scopes)
  )
  // Thrown outside the transaction; inside, it would roll back the revocation of a family.
  if (typeof outcome === 'string') throw invalidGrant(outcome)
  return outcome
}

async function exchange(
  { db, client, settings }: GrantRequest,
  given: string,
  scopes: (all: string[]) => string[]
): Promise<Refreshed | string> {
  const token = await findRefreshToken(db, hashSecret(given))
  if (!token) return 'unknown refresh token'
  const { family } = token
  // First of all: another client's attempt must not revoke the family.
  if (family.clientId !== client.id) return `a refresh token of client ${family.clientId}`
  if (family.revoked) return `family ${family.id} is revoked`
  if (family.timeExpires <= timestamp()) return `family ${family.id} has expired`
  const user = await findUserById(db, family.userId)
  if (!user || user.disabled) return `user ${family.userId} is disabled`
  if (token.timeUsed !== null)
    return refuseReuse(
      db,
      family.id,
      token.beforeNewest && isWithin(token.timeUsed, settings.refreshTokenGrace)
    )
  // The client may have fewer rights than at the login.
  const allowed = family.scopes.filter(scope => client.scopes.includes(scope))
  if (allowed.length === 0) return `client ${client.id} may no longer request a scope of family ${family.id}`
  const chosen = scopes(allowed)
  const refreshToken = generateSecret()
  if (!(await rotateRefreshToken(db, token, hashSecret(refreshToken)))) return 'the refresh token is in use'
  return { user, sid: family.id, grantType: grantOf(family, client), scopes: chosen, refreshToken }
}

/** An older program has not recorded the grant. */
const grantOf = ({ grantType }: TokenFamily, { grantTypes }: Client): string =>
  grantType ?? (grantTypes.includes('password') ? 'password' : 'authorization_code')

/** A client may send a request twice within the grace period; a later reuse means that the token was stolen. */
async function refuseReuse(db: Db, familyId: string, inGracePeriod: boolean): Promise<string> {
  if (inGracePeriod) return `family ${familyId}: the refresh token was used a moment ago`
  await revokeFamily(db, familyId)
  return `family ${familyId}: a refresh token was reused, the family is revoked`
}

const isWithin = (time: string, seconds: number): boolean => Date.now() - Date.parse(time) < seconds * 1000
