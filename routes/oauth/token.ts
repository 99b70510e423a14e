import type { Client } from '../../db/accounts/clients.ts'
import { invalidRequest } from '../../errors.ts'
import type { IssuedToken } from '../../plugins/tokens.ts'
import type { Route } from '../route.ts'
import { createClientLimit } from './client-limit.ts'
import type { Granted, TokenParameters } from './grant.ts'
import { selectGrant } from './grants/index.ts'
import { countLogin } from './login/count-login.ts'
import { oauthParameters } from './parameters.ts'

/** The token endpoint, RFC 6749 §3.2. */
export const token: Route = (app, settings) => {
  const checkLimit = createClientLimit(app, settings)
  return {
    // After parsing, so that a wrong media type or size is reported first.
    preValidation: app.productClientIdentity,
    handler: async request => {
      const client = request.productClient as Client
      await checkLimit(client)
      const parameters: TokenParameters = oauthParameters(request)
      if (!parameters.grant_type) throw invalidRequest('grant_type is missing')
      const grant = selectGrant(parameters.grant_type, client)
      const db = app.productStore
      const run = () => grant.run({ db, client, parameters, settings })
      const isLogin = grant.grantType === 'password'
      const granted = await (isLogin ? countLogin(app.productMetrics, run) : run())
      const { profile: _profile, refreshToken: _refreshToken, ...subject } = granted
      const issued = await app.productTokens.issue({
        ...subject,
        clientId: client.id,
        clientEpoch: client.tokenEpoch
      })
      const { sub, sid, scopes } = subject
      const { jti } = issued
      const { ip: remoteAddress } = request
      const decision = { grant: grant.grantType, clientId: client.id, sub, jti, sid, scopes, remoteAddress }
      app.productMetrics.counter('tokens_issued_total').inc({ grant: grant.grantType })
      request.log.info(decision, 'token issued')
      return tokenResponse(issued, granted)
    }
  }
}

/** Makes the token response, RFC 6749 §5.1, with the user's profile. */
const tokenResponse = (
  { accessToken, expiresIn, jti }: IssuedToken,
  { scopes, profile, refreshToken }: Granted
) => ({
  access_token: accessToken,
  token_type: 'bearer',
  ...(refreshToken && { refresh_token: refreshToken }),
  expires_in: expiresIn,
  scope: scopes.join(' '),
  ...profile,
  jti
})
