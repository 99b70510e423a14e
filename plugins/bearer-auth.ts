import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import type { AccessTokenClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a hook that requires a valid access token with the scope. */
    productBearerAuth: (scope: string) => onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** The claims of the access token; null before it is checked. */
    productToken: AccessTokenClaims | null
  }
}

const realm = 'product-templates'

/** Authenticates requests by a bearer token in the Authorization header, RFC 6750 §2.1, §3. */
export const bearerAuth = fp(
  async app => {
    if (!app.hasRequestDecorator('productToken')) app.decorateRequest('productToken', null)
    app.decorate('productBearerAuth', scope => async (request, reply) => {
      try {
        const claims = await app.productTokens.verify(readBearerToken(request))
        if (!claims.scope.split(' ').includes(scope)) throw insufficientScope(`without ${scope}`)
        request.productToken = claims
      } catch (error) {
        if (error instanceof PublicError) addChallenge(reply, error, scope)
        throw error
      }
    })
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

/** Reads the token from the Authorization header. The scheme is case-insensitive, RFC 9110 §11.1. */
function readBearerToken(request: FastifyRequest): string {
  const [authorization, ...more] = authorizationHeaders(request)
  if (authorization === undefined || !/^bearer([ \t]|$)/i.test(authorization)) throw missingToken()
  const match = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)
  if (!match?.[1] || more.length > 0) throw malformedBearer()
  // A token must be sent in one way only, RFC 6750 §2.
  if ('access_token' in (request.query as object)) throw malformedBearer()
  return match[1]
}

function addChallenge(reply: FastifyReply, error: PublicError, scope: string): void {
  // A request without a token gets no error code, RFC 6750 §3.1.
  const reason = error.code === 'missing_token' ? '' : `, error="${error.code}"`
  const needed = error.code === 'insufficient_scope' ? `, scope="${scope}"` : ''
  reply.header('WWW-Authenticate', `Bearer realm="${realm}"${reason}${needed}`)
}
