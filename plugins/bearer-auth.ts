import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Version } from '../db/versions.ts'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../errors.ts'
import { authorizationHeaders } from './client-auth.ts'
import type { AccessTokenClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a hook that requires a valid access token with one of the scopes. */
    productBearerAuth: (...scopes: string[]) => onRequestHookHandler
    /**
     * Like `productBearerAuth`, but a token that was valid before passes at once. Call `productConfirmToken` when the
     * request is complete.
     */
    productRecallToken: (...scopes: string[]) => onRequestHookHandler
    /** Checks that the recalled token of a request is valid at a version; a promise if the database has to be asked. */
    productConfirmToken: (
      request: FastifyRequest,
      reply: FastifyReply,
      version: Version
    ) => Promise<void> | undefined
    /** Throws `insufficient_scope` if the token of an authenticated request does not have the scope. */
    productRequireScope: (request: FastifyRequest, reply: FastifyReply, scope: string) => void
  }
  interface FastifyRequest {
    /** The claims of the access token; null before it is checked. */
    productToken: AccessTokenClaims | null
    /** Its text. */
    productBearer: string
  }
}

/** Authenticates requests by a bearer token in the Authorization header, RFC 6750 §2.1, §3. */
export const bearerAuth = fp(
  async app => {
    if (!app.hasRequestDecorator('productToken')) app.decorateRequest('productToken', null)
    if (!app.hasRequestDecorator('productBearer')) app.decorateRequest('productBearer', '')
    const tokens = app.productTokens
    // Callbacks, because these hooks run for every request.
    const authenticate =
      (scopes: string[], recall: (token: string) => AccessTokenClaims | undefined): onRequestHookHandler =>
      (request, reply, done) => {
        const accept = (claims: AccessTokenClaims) => {
          request.productToken = claims
          requireScope(claims, scopes)
        }
        const fail = (error: unknown) => done(refuse(reply, error, scopes[0] as string))
        try {
          const token = readCredentials(request)
          // If it is known, it is well-formed.
          const known = recall(token)
          request.productBearer = known ? token : checkToken(token)
          if (known) accept(known)
          else
            return void tokens
              .verify(token)
              .then(accept)
              .then(() => done(), fail)
        } catch (error) {
          return fail(error)
        }
        done()
      }
    app.decorate('productBearerAuth', (...scopes) => authenticate(scopes, () => undefined))
    app.decorate('productRecallToken', (...scopes) => authenticate(scopes, token => tokens.recall(token)))
    app.decorate('productConfirmToken', (request, reply, version) => {
      const { productBearer: token } = request
      if (tokens.recall(token, version)) return undefined
      return tokens.verify(token).then(
        () => {},
        error => {
          throw refuse(reply, error, 'read')
        }
      )
    })
    app.decorate('productRequireScope', ({ productToken }, reply, scope) => {
      try {
        requireScope(productToken as AccessTokenClaims, [scope])
      } catch (error) {
        throw refuse(reply, error, scope)
      }
    })
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

function requireScope({ scope }: AccessTokenClaims, scopes: string[]): void {
  if (scope === scopes[0]) return
  const granted = scope.split(' ')
  if (!scopes.some(name => granted.includes(name))) throw insufficientScope(`without ${scopes.join(' or ')}`)
}

/** Reads the token from the Authorization header. */
export const readBearerToken = (request: FastifyRequest): string => checkToken(readCredentials(request))

/** Reads what follows the scheme, which is case-insensitive, RFC 9110 §11.1. */
function readCredentials(request: FastifyRequest): string {
  const [authorization, ...more] = authorizationHeaders(request)
  if (authorization === undefined || !/^bearer([ \t]|$)/i.test(authorization)) throw missingToken()
  // A token must be sent in one way only, RFC 6750 §2.
  const isElsewhere = more.length > 0 || 'access_token' in (request.query as object)
  if (isElsewhere || authorization['bearer'.length] !== ' ') throw malformedBearer()
  return authorization.slice('bearer '.length)
}

function checkToken(token: string): string {
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw malformedBearer()
  return token
}

/** Adds a challenge to the response for an error of authentication, and returns the error. */
function refuse(reply: FastifyReply, error: unknown, scope: string): Error {
  if (error instanceof PublicError) {
    // A request without a token gets no error code, RFC 6750 §3.1.
    const reason = error.code === 'missing_token' ? '' : `, error="${error.code}"`
    const needed = error.code === 'insufficient_scope' ? `, scope="${scope}"` : ''
    reply.header('WWW-Authenticate', `Bearer realm="product-templates"${reason}${needed}`)
  }
  return error as Error
}
