import { hashSecret } from '../../accounts/credentials/secrets.ts'
import { findRefreshToken, revokeFamilies } from '../../db/accounts/refresh-tokens.ts'
import { revokeToken } from '../../db/accounts/token-status.ts'
import { getClient } from '../../plugins/authentication/client-auth.ts'
import { ignoreInvalidToken, invalidRequest } from '../../runtime/errors.ts'
import type { Route } from '../route.ts'
import { readOAuthParameters } from './parameters.ts'

const notYours = () => invalidRequest('the token was issued to another client')

/** Token revocation, RFC 7009. The response is an empty object, because some clients read each one as JSON. */
export const revoke: Route = app => ({
  handler: async request => {
    const client = getClient(request)
    const audit = { clientId: client.id, remoteAddress: request.ip }
    const { token } = readOAuthParameters(request)
    if (!token) throw invalidRequest('token is missing')
    const claims = await ignoreInvalidToken(app.productTokens.read(token))
    if (claims) {
      if (claims.client_id !== client.id) throw notYours()
      await revokeToken(app.productStore, claims.jti, claims.exp)
      request.log.info({ ...audit, sub: claims.sub, jti: claims.jti }, 'access token revoked')
    } else {
      const found = await findRefreshToken(app.productStore, hashSecret(token))
      if (found && found.family.clientId !== client.id) throw notYours()
      if (found) await revokeFamilies(app.productStore, { id: found.family.id })
      if (found) request.log.info({ ...audit, sid: found.family.id }, 'refresh token revoked')
    }
    return {}
  }
})
