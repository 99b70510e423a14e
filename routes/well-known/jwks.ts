import { jwksMaxAge } from '../../credentials/signing-key.ts'
import type { Route } from '../route.ts'

/** The public keys that verify access tokens, RFC 7517 §5. */
export const jwks: Route = app => ({
  handler: async (_request, reply) => {
    reply.headers({
      'Content-Type': 'application/jwk-set+json',
      'Cache-Control': `public, max-age=${jwksMaxAge}`
    })
    // As bytes: Fastify would add a charset to a string, which this media type does not have.
    return reply.send(Buffer.from(JSON.stringify(await app.productTokens.jwks())))
  }
})
