import { grantTypes, scopes } from '../../db/accounts/clients.ts'
import type { Route } from '../route.ts'

const basic = ['client_secret_basic']
const basicOrPublic = [...basic, 'none']

/** Authorization server metadata, RFC 8414 §2. Derived from the issuer, never from the request. */
export const authorizationServer: Route = (app, { passwordLogin }) => ({
  handler: async (_request, reply) => {
    const issuer = app.productTokens.issuer()
    reply.header('Cache-Control', 'public, max-age=300')
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: scopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      prompt_values_supported: ['none', 'login', 'consent'],
      grant_types_supported: grantTypes.filter(type => passwordLogin || type !== 'password'),
      token_endpoint_auth_methods_supported: basicOrPublic,
      revocation_endpoint_auth_methods_supported: basicOrPublic,
      introspection_endpoint_auth_methods_supported: basic
    }
  }
})
