import { generateSecret, hashSecret } from '../../../accounts/credentials/secrets.ts'
import {
  findRefreshToken,
  type RefreshToken,
  revokeFamilies,
  rotateRefreshToken,
  type TokenFamily
} from '../../../db/accounts/refresh-tokens.ts'
import { findUserById, type StoredUser } from '../../../db/accounts/users.ts'
import { findGrantRefusal, type GrantType, grantAllowsResource, isGrantType } from '../../../domain/rights.ts'
import { clockSkewSeconds, secondsSince, timestamp } from '../../../domain/timestamp.ts'
import { invalidGrant, invalidTarget } from '../../../runtime/errors.ts'
import { limitScopes, selectScopes } from '../parameters.ts'
import { type GrantResult, grantInTransaction, type RequestInTransaction } from './grant.ts'

/**
 * Exchanges a refresh token for the next one of its family, RFC 6749 §6, RFC 9700 §4.14.2. It uses one transaction, so
 * that no token is used up without a next one. If the response is lost, the user logs in again.
 */
export const refreshTokenGrant = grantInTransaction('refresh_token', exchangeToken)

async function exchangeToken(request: RequestInTransaction, given: string): Promise<GrantResult> {
  const { transaction } = request
  const token = await findRefreshToken(transaction, hashSecret(given))
  if (!token) throw invalidGrant('unknown refresh token', 'unknown_token')
  checkFamily(request, token.family)
  const user = await findUserById(transaction, token.family.userId)
  if (!user || user.disabled) throw invalidGrant(`user ${token.family.userId} is disabled`, 'disabled')
  if (token.timeUsed !== null) await refuseReuse(request, token, token.timeUsed)
  return rotateToken(request, token, user)
}

function checkFamily({ client, settings }: RequestInTransaction, family: TokenFamily): void {
  // The client is checked first: a request of another client must not revoke the family.
  if (family.clientId !== client.id)
    throw invalidGrant(`the refresh token belongs to client ${family.clientId}`)
  if (family.revoked) throw invalidGrant(`family ${family.id} is revoked`, 'revoked')
  if (family.timeExpires <= timestamp()) throw invalidGrant(`family ${family.id} has expired`, 'expired')
  // If a grant is turned off, the logins that began with it end.
  const refusal = findGrantRefusal(findGrantType(family), settings)
  if (refusal) throw invalidGrant(refusal)
}

/**
 * Seconds in which the token before the newest may come again, because a client may send a request twice. It is refused,
 * but the login stays. Any other reuse means that a token was stolen.
 */
const graceSeconds = 5

async function refuseReuse(
  { transaction }: RequestInTransaction,
  { family, beforeNewest }: RefreshToken,
  timeUsed: string
): Promise<never> {
  const age = secondsSince(timeUsed)
  // The clock of another instance may be a little ahead.
  const isWithinGrace = age < graceSeconds && age > -clockSkewSeconds
  if (beforeNewest && isWithinGrace)
    throw invalidGrant(`family ${family.id}: the refresh token was used a moment ago`)
  await revokeFamilies(transaction, { id: family.id })
  throw invalidGrant(`family ${family.id}: a refresh token was reused, the family is revoked`, 'token_reused')
}

async function rotateToken(
  { transaction, client, parameters, resource }: RequestInTransaction,
  token: RefreshToken,
  user: StoredUser
): Promise<GrantResult> {
  const { family } = token
  if (!grantAllowsResource(family.resource, resource))
    throw invalidTarget(`family ${family.id} is for another resource`)
  // The client may have lost scopes since the login, and may request fewer.
  const allowed = family.scopes.filter(scope => client.scopes.includes(scope))
  if (allowed.length === 0)
    throw invalidGrant(`client ${client.id} may no longer request a scope of family ${family.id}`)
  // The scopes are checked before the token is used up, so that the client can retry with scopes that the role allows.
  const scopes = limitScopes(selectScopes(parameters.scope, allowed), user.role)
  const refreshToken = generateSecret()
  if (!(await rotateRefreshToken(transaction, token, hashSecret(refreshToken))))
    throw invalidGrant('the refresh token is in use')
  const originalGrant = findGrantType(family)
  return { user, scopes, originalGrant, resource: family.resource, sid: family.id, refreshToken }
}

/**
 * Returns the grant that a login began with. A grant that only a newer program knows gives no rights beyond the scopes.
 */
export const findGrantType = ({ grantType }: TokenFamily): GrantType =>
  isGrantType(grantType) ? grantType : 'authorization_code'
