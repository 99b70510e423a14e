import type { Client } from '../../db/accounts/clients.ts'
import { invalidRequest } from '../../errors.ts'
import type { Route } from '../route.ts'
import { selectGrant } from './grants/index.ts'
import { oauthParameters } from './protocol.ts'
import { createClientLimit } from './request-limits.ts'

/** The token endpoint, RFC 6749 §3.2. */
export const token: Route = (app, settings) => {
  const checkLimit = createClientLimit(app, settings)
  return {
    // After parsing, so that a wrong media type or size is reported first.
    preValidation: app.productClientIdentity,
    handler: async request => {
      const client = request.productClient as Client
      await checkLimit(client)
      const parameters = oauthParameters(request)
      const { grant_type: grantType } = parameters
      if (!grantType) throw invalidRequest('grant_type is missing')
      const grant = selectGrant(grantType, client)
      const granted = await grant.run({ app, db: app.productStore, client, parameters, settings })
      const { profile, refreshToken, ...subject } = granted
      const parties = { clientId: client.id, clientEpoch: client.tokenEpoch }
      const { accessToken, expiresIn, jti } = await app.productTokens.issue({ ...subject, ...parties })
      app.productMetrics.counter('tokens_issued_total').inc({ grant: grantType })
      const { sub, sid, scopes } = subject
      const audit = {
        grant: grantType,
        clientId: client.id,
        sub,
        jti,
        sid,
        scopes,
        remoteAddress: request.ip
      }
      request.log.info(audit, 'token issued')
      // RFC 6749 §5.1, with the user's profile.
      return {
        access_token: accessToken,
        token_type: 'bearer',
        ...(refreshToken && { refresh_token: refreshToken }),
        expires_in: expiresIn,
        scope: scopes.join(' '),
        ...profile,
        jti
      }
    }
  }
}
