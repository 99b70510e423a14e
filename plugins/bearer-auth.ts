import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Version } from '../db/versions.ts'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../errors.ts'
import { authorizationHeaders } from './authorization-header.ts'
import type { AccessTokenClaims } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates a hook that requires a valid access token with one of the scopes. */
    productBearerAuth: (...scopes: string[]) => onRequestHookHandler
  }
  interface FastifyRequest {
    /** The claims of the access token; null before it is checked. */
    productToken: AccessTokenClaims | null
    /** The text of the access token. */
    productBearer: string
  }
}

/** Authenticates requests by a bearer token in the Authorization header, RFC 6750 §2.1, §3. */
export const bearerAuth = fp(
  async app => {
    if (!app.hasRequestDecorator('productToken')) app.decorateRequest('productToken', null)
    if (!app.hasRequestDecorator('productBearer')) app.decorateRequest('productBearer', '')
    app.decorate('productBearerAuth', (...scopes) => requireToken(app, scopes))
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

/**
 * Creates a hook that requires a valid access token with one of the scopes. With `isCheckedAgain`, a token that was
 * valid before passes at once, without the database. The handler then calls {@link checkTokenAgain} when the body has
 * arrived.
 */
export const requireToken =
  (
    { productTokens: tokens }: FastifyInstance,
    scopes: string[],
    { isCheckedAgain = false } = {}
  ): onRequestHookHandler =>
  // Uses a callback, because a promise for each request would cost measurable time.
  (request, reply, done) => {
    const accept = (claims: AccessTokenClaims) => {
      request.productToken = claims
      checkScope(claims, scopes)
    }
    const fail = (error: unknown) => done(refuse(reply, error, scopes[0] as string))
    try {
      const token = readBearerToken(request)
      request.productBearer = token
      const claims = isCheckedAgain ? tokens.verify(token, 'any') : tokens.verify(token)
      if (claims instanceof Promise)
        return void claims.then(accept).then(
          () => done(),
          // The form is looked at only now: no token of another form is valid.
          error => fail(b64token.test(token) ? error : malformedBearer())
        )
      accept(claims)
    } catch (error) {
      return fail(error)
    }
    done()
  }

/**
 * Checks that the token of an authenticated request is valid at a version that was read since. Returns a promise only
 * if it must query the database.
 */
export function checkTokenAgain(
  { productBearer, server }: FastifyRequest,
  reply: FastifyReply,
  version: Version
): Promise<void> | undefined {
  const claims = server.productTokens.verify(productBearer, version)
  if (!(claims instanceof Promise)) return undefined
  return claims.then(
    () => {},
    error => {
      throw refuse(reply, error, 'read')
    }
  )
}

/** Throws `insufficient_scope` if the token of an authenticated request does not have the scope. */
export function requireScope({ productToken }: FastifyRequest, reply: FastifyReply, scope: string): void {
  try {
    checkScope(productToken as AccessTokenClaims, [scope])
  } catch (error) {
    throw refuse(reply, error, scope)
  }
}

function checkScope({ scope }: AccessTokenClaims, scopes: string[]): void {
  if (scope === scopes[0]) return
  const granted = scope.split(' ')
  if (!scopes.some(name => granted.includes(name))) throw insufficientScope(`without ${scopes.join(' or ')}`)
}

/** The form of a token, RFC 6750 §2.1. */
const b64token = /^[A-Za-z0-9\-._~+/]+=*$/

/** Reads what follows the scheme, which is case-insensitive, RFC 9110 §11.1. */
function readBearerToken(request: FastifyRequest): string {
  const [authorization, ...more] = authorizationHeaders(request)
  if (authorization === undefined || !/^bearer([ \t]|$)/i.test(authorization)) throw missingToken()
  // A token must be sent in one way only, RFC 6750 §2.
  const isElsewhere = more.length > 0 || 'access_token' in (request.query as object)
  if (isElsewhere || authorization['bearer'.length] !== ' ') throw malformedBearer()
  return authorization.slice('bearer '.length)
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
