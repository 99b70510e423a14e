import { apiScopes } from '../../db/accounts/clients.ts'
import type { Resource } from '../../db/accounts/resource.ts'
import type { Route } from '../route.ts'

/** Protected resource metadata, RFC 9728 §2. Derived from the issuer, never from the request. */
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
