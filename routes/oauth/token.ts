import type { StoredClient } from '../../db/accounts/clients.ts'
import { findGrantRefusal, type GrantType, isGrantType, publicGrantTypes } from '../../domain/rights.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { getClient } from '../../plugins/authentication/client-auth.ts'
import { invalidRequest, unauthorizedClient, unsupportedGrantType } from '../../runtime/errors.ts'
import type { Route } from '../route.ts'
import { refuseUnfoundClient } from './described-clients.ts'
import { authorizationCodeGrant } from './grants/authorization-code.ts'
import { clientCredentialsGrant } from './grants/client-credentials.ts'
import type { Grant, GrantResult } from './grants/grant.ts'
import { passwordGrant } from './grants/password.ts'
import { refreshTokenGrant } from './grants/refresh-token.ts'
import { readOAuthParameters, readResource } from './parameters.ts'
import { createClientLimit } from './request-limits.ts'

/** The token endpoint, RFC 6749 §3.2. */
export const token: Route = (app, settings) => {
  const checkLimit = createClientLimit(app, settings)
  return {
    preHandler: refuseUnfoundClient,
    handler: async request => {
      const client = getClient(request)
      await checkLimit(client)
      const parameters = readOAuthParameters(request)
      const { grant_type: type } = parameters
      if (!type) throw invalidRequest('grant_type is missing')
      requireGrantType(type, client, settings)
      // The resource is checked first, because a grant may use up a code or a refresh token.
      const resource = readResource(app, parameters)
      const db = app.productStore
      const granted = await grantsByType[type]({ app, db, client, parameters, resource, settings })
      const { user, scopes, sid, login, refreshToken } = granted
      const sub = user?.id ?? client.id
      const { accessToken, expiresIn, jti } = await app.productTokens.sign({
        sub,
        scopes,
        resource: resource ?? granted.resource ?? null,
        clientId: client.id,
        clientEpoch: client.tokenEpoch,
        ...(user && { epoch: user.tokenEpoch }),
        ...(sid && { sid })
      })
      app.productMetrics.counter('tokens_issued_total').inc({ grant: type })
      const audit = { clientId: client.id, sub, jti, sid, scopes, remoteAddress: request.ip }
      request.log.info({ grant: type, ...audit }, 'token issued')
      const idToken = login &&
        scopes.includes('openid') && { sub, clientId: client.id, accessToken, ...login }
      // RFC 6749 §5.1, with the user's profile.
      return {
        access_token: accessToken,
        token_type: 'bearer',
        ...(refreshToken && { refresh_token: refreshToken }),
        expires_in: expiresIn,
        scope: scopes.join(' '),
        ...(idToken && { id_token: await app.productTokens.signIdToken(idToken) }),
        ...formatProfile(granted, type),
        jti
      }
    }
  }
}

/** Formats the profile of the user; undefined if the client does not get it. */
function formatProfile({ user, scopes, originalGrant }: GrantResult, type: GrantType) {
  // With the password grant, the client knows the user anyway.
  const mayHave = (originalGrant ?? type) === 'password' || scopes.includes('profile')
  if (!user || !mayHave) return undefined
  return {
    id: user.id,
    first_name: user.firstName,
    last_name: user.lastName,
    country: user.country,
    mobile: user.mobile,
    wallets: user.wallets
  }
}

const grantsByType: Record<GrantType, Grant> = {
  password: passwordGrant,
  client_credentials: clientCredentialsGrant,
  refresh_token: refreshTokenGrant,
  authorization_code: authorizationCodeGrant
}

/** Throws if a grant type is not supported or not allowed for the client. */
function requireGrantType(
  given: string,
  client: StoredClient,
  settings: ServiceSettings
): asserts given is GrantType {
  if (!isGrantType(given)) throw unsupportedGrantType()
  const refusal = findGrantRefusal(given, settings)
  if (refusal) throw unauthorizedClient(refusal)
  // Another program may write any grant to the store.
  const isAllowed = !client.isPublic || publicGrantTypes.includes(given)
  if (!isAllowed || !client.grantTypes.includes(given))
    throw unauthorizedClient(`client ${client.id} may not use the grant ${given}`)
}
