import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import type { AccessTokenClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a hook that requires a valid access token with one of the scopes. */
    productBearerAuth: (...scopes: string[]) => onRequestAsyncHookHandler
    /** Throws `insufficient_scope` if the token of an authenticated request does not have the scope. */
    productRequireScope: (request: FastifyRequest, reply: FastifyReply, scope: string) => void
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
    app.decorate('productBearerAuth', (...scopes) => async (request, reply) => {
      try {
        request.productToken = await app.productTokens.verify(readBearerToken(request))
        requireScope(request.productToken, scopes)
      } catch (error) {
        if (error instanceof PublicError) addChallenge(reply, error, scopes[0] as string)
        throw error
      }
    })
    app.decorate('productRequireScope', ({ productToken }, reply, scope) => {
      try {
        requireScope(productToken as AccessTokenClaims, [scope])
      } catch (error) {
        addChallenge(reply, error as PublicError, scope)
        throw error
      }
    })
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

function requireScope({ scope }: AccessTokenClaims, scopes: string[]): void {
  const granted = scope.split(' ')
  if (!scopes.some(name => granted.includes(name))) throw insufficientScope(`without ${scopes.join(' or ')}`)
}

/** Reads the token from the Authorization header. The scheme is case-insensitive, RFC 9110 §11.1. */
export function readBearerToken(request: FastifyRequest): string {
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
