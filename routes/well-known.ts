import { jwksMaxAge } from '../accounts/credentials/signing-key.ts'
import { apiScopes, findGrantRefusal, grantTypes, type Resource, scopes } from '../domain/rights.ts'
import { findsDescribedClients } from './oauth/described-clients.ts'
import type { Route } from './route.ts'

const basic = ['client_secret_basic']
const basicOrPublic = [...basic, 'none']

/** The claims of the userinfo endpoint. */
const userClaims = ['name', 'given_name', 'family_name', 'email']

/** Authorization server metadata, RFC 8414 §2, OpenID Connect Discovery 1.0 §3. The issuer gives the URLs. */
export const authorizationServer: Route = (app, settings) => ({
  handler: async (_request, reply) => {
    const issuer = app.productTokens.issuer()
    const { keys } = await app.productTokens.jwks()
    reply.header('Cache-Control', 'public, max-age=300')
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: scopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))],
      claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'at_hash', ...userClaims],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      // Absent would mean true.
      request_uri_parameter_supported: false,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      grant_types_supported: grantTypes.filter(type => !findGrantRefusal(type, settings)),
      token_endpoint_auth_methods_supported: basicOrPublic,
      revocation_endpoint_auth_methods_supported: basicOrPublic,
      introspection_endpoint_auth_methods_supported: basic,
      ...(findsDescribedClients(app) && { client_id_metadata_document_supported: true })
    }
  }
})

/** The public keys that verify access tokens, RFC 7517 §5. */
export const jwks: Route = app => ({
  handler: async (_request, reply) => {
    reply.headers({
      'Content-Type': 'application/jwk-set+json',
      'Cache-Control': `public, max-age=${jwksMaxAge}`
    })
    // The text is sent as bytes, because Fastify would add a charset to a string, which this media type does not have.
    return reply.send(Buffer.from(JSON.stringify(await app.productTokens.jwks())))
  }
})

/** Protected resource metadata, RFC 9728 §2. URLs derive from the issuer, never from the request. */
export const protectedResource =
  (resource: Resource): Route =>
  app => ({
    handler: async (_request, reply) => {
      const issuer = app.productTokens.issuer()
      reply.header('Cache-Control', 'public, max-age=300')
      return {
        resource: `${issuer}${resource}`,
        authorization_servers: [issuer],
        scopes_supported: apiScopes,
        bearer_methods_supported: ['header'],
        resource_name: 'product templates'
      }
    }
  })
