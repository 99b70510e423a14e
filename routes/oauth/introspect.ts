import { hashSecret } from '../../accounts/credentials/secrets.ts'
import { findRefreshToken } from '../../db/accounts/refresh-tokens.ts'
import { readTokenStatus } from '../../db/accounts/token-status.ts'
import type { Db } from '../../db/schema.ts'
import { findGrantRefusal, roleAllows } from '../../domain/rights.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { getClient } from '../../plugins/authentication/client-auth.ts'
import type { AccessTokenClaims } from '../../plugins/authentication/tokens.ts'
import { ignoreInvalidToken, invalidRequest } from '../../runtime/errors.ts'
import type { Route } from '../route.ts'
import { findGrantType } from './grants/refresh-token.ts'
import { readOAuthParameters } from './parameters.ts'

const inactive = { active: false }

/** Token introspection, RFC 7662. Without permission, another client's token looks inactive. */
export const introspect: Route = (app, settings) => ({
  handler: async request => {
    const client = getClient(request)
    const { token } = readOAuthParameters(request)
    if (!token) throw invalidRequest('token is missing')
    const claims = await ignoreInvalidToken(app.productTokens.verify(token, { endpoint: 'any' }))
    // Tokens of trusted issuers are introspected at their issuers.
    if (claims && claims.iss !== app.productTokens.issuer()) return inactive
    const found = claims
      ? describeAccessToken(claims)
      : await describeRefreshToken(app.productStore, token, settings)
    if (!found || (found.client_id !== client.id && !client.mayIntrospect)) return inactive
    return { active: true, ...found }
  }
})

/** Returns the members of an introspection response, RFC 7662 §2.2. */
function describeAccessToken(claims: AccessTokenClaims) {
  const { iss, sub, aud, client_id, iat, exp, jti, scope } = claims
  return { iss, sub, aud, client_id, iat, exp, jti, scope, token_type: 'bearer' }
}

async function describeRefreshToken(db: Db, text: string, settings: ServiceSettings) {
  const found = await findRefreshToken(db, hashSecret(text))
  if (!found || found.timeUsed !== null || found.family.timeExpires <= timestamp()) return undefined
  const { id: sid, clientId, userId: sub, scopes, timeExpires } = found.family
  if (findGrantRefusal(findGrantType(found.family), settings)) return undefined
  const token = { jti: '', sid, userId: sub, clientId }
  const { ended, rights } = await readTokenStatus(db, token)
  if (ended) return undefined
  const exp = Math.floor(Date.parse(timeExpires) / 1000)
  const scope = scopes.filter(name => !rights.role || roleAllows(rights.role, name)).join(' ')
  return { scope, client_id: clientId, sub, exp }
}
