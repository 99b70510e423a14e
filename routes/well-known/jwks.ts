import { jwksMaxAge } from '../../credentials/key-rotation.ts'
import type { Route } from '../route.ts'

/** The public keys that sign access tokens, RFC 7517 §5. */
export const jwks: Route = app => ({
  handler: async (_request, reply) => {
    reply.headers({
      'Content-Type': 'application/jwk-set+json',
      'Cache-Control': `public, max-age=${jwksMaxAge}`
    })
    // As bytes: a text would get a charset, which the media type does not have.
    return reply.send(Buffer.from(JSON.stringify(await app.productTokens.jwks())))
  }
})
