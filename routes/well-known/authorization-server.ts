import { grantTypes, scopes } from '../../accounts/clients.ts'
import type { Route } from '../route.ts'

const basic = ['client_secret_basic']

/** Authorization server metadata, RFC 8414 §2. Derived from the issuer, never from the request. */
export const authorizationServer: Route = app => ({
  handler: async (_request, reply) => {
    const issuer = app.productTokens.issuer()
    reply.header('Cache-Control', 'public, max-age=300')
    return {
      issuer,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: scopes,
      response_types_supported: [],
      grant_types_supported: grantTypes,
      token_endpoint_auth_methods_supported: basic,
      revocation_endpoint_auth_methods_supported: basic,
      introspection_endpoint_auth_methods_supported: basic
    }
  }
})
