import type { Route } from '../route.ts'

/** The public keys that sign access tokens, RFC 7517 §5. */
export const jwks: Route = app => ({
  handler: async (_request, reply) => {
    reply.headers({ 'Content-Type': 'application/jwk-set+json', 'Cache-Control': 'public, max-age=300' })
    // As bytes: a text would get a charset, which the media type does not have.
    return reply.send(Buffer.from(JSON.stringify(app.productTokens.jwks())))
  }
})
