import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import type { AccessTokenClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A hook that lets a request pass only with a valid access token that has the scope. */
    productBearerAuth: (scope: string) => onRequestAsyncHookHandler
  }
  interface FastifyRequest {
    /** The claims of the access token; null before it was checked. */
    productToken: AccessTokenClaims | null
  }
}

const realm = 'product-templates'

/** Bearer tokens in the Authorization header, RFC 6750 §2.1; its challenges and errors, §3. */
export const bearerAuth = fp(
  async app => {
    if (!app.hasRequestDecorator('productToken')) app.decorateRequest('productToken', null)
    app.decorate('productBearerAuth', scope => async (request, reply) => {
      try {
        const claims = await app.productTokens.verify(bearerToken(request))
        if (!claims.scope.split(' ').includes(scope)) throw insufficientScope(`without ${scope}`)
        request.productToken = claims
      } catch (error) {
        if (error instanceof PublicError) challenge(reply, error, scope)
        throw error
      }
    })
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

/** The token of the Authorization header; the scheme matches without regard to case, RFC 9110 §11.1. */
function bearerToken(request: FastifyRequest): string {
  const [authorization, ...more] = authorizationHeaders(request)
  if (authorization === undefined || !/^bearer([ \t]|$)/i.test(authorization)) throw missingToken()
  const match = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization)
  if (!match?.[1] || more.length > 0) throw malformedBearer()
  // Two ways of sending it in one request, RFC 6750 §2.
  if ('access_token' in (request.query as object)) throw malformedBearer()
  return match[1]
}

function challenge(reply: FastifyReply, error: PublicError, scope: string): void {
  // Without a token there is nothing wrong to tell, RFC 6750 §3.1.
  const reason = error.code === 'missing_token' ? '' : `, error="${error.code}"`
  const needed = error.code === 'insufficient_scope' ? `, scope="${scope}"` : ''
  reply.header('WWW-Authenticate', `Bearer realm="${realm}"${reason}${needed}`)
}
