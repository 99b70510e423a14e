import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Version } from '../../db/versions.ts'
import type { WantedEndpoint } from '../../domain/rights.ts'
import type { Authenticate } from '../../options/authenticate.ts'
import { insufficientScope, malformedBearer, missingToken, PublicError } from '../../runtime/errors.ts'
import { toPublicError } from '../error-handler.ts'
import { listHeaders } from '../headers.ts'
import { makeHostAuthenticator } from './host-authenticator.ts'
import type { VerifiedToken } from './tokens.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productAuthenticator: Authenticator
    /** Creates a hook that requires a valid access token with one of the scopes. */
    productBearerAuth: (...scopes: string[]) => onRequestAsyncHookHandler
  }
  interface FastifyContextConfig {
    /** The endpoint that tokens must be for, by default `/graphql`. */
    productTokensFor?: WantedEndpoint | undefined
  }
  interface FastifyRequest {
    /** The claims of the access token, or the claims that the host gives instead; null before authentication. */
    productToken: VerifiedToken | null
  }
}

interface BearerAuthOptions {
  /** Authenticates requests instead of access tokens. */
  authenticate?: Authenticate | undefined
}

/** Finds the sender of a request. Rejects with an error of authentication. */
export interface Authenticator {
  /** Accepts a token that was valid before without reading the database, although it may have been revoked since. */
  verifyFromCache(request: FastifyRequest): Promise<VerifiedToken>
  /** Reads the status of the token, unless the token is known to be valid at this version. */
  verify(request: FastifyRequest, version?: Version): Promise<VerifiedToken>
}

/** Authenticates requests by a bearer token in the Authorization header, RFC 6750 §2.1, §3, or as the host does. */
export const bearerAuth = fp<BearerAuthOptions>(
  async (app, { authenticate }) => {
    if (!app.hasRequestDecorator('productToken')) app.decorateRequest('productToken', null)
    app.decorate(
      'productAuthenticator',
      authenticate ? makeHostAuthenticator(app, authenticate) : makeTokenAuthenticator(app)
    )
    app.decorate('productBearerAuth', (...scopes) => requireToken(app, scopes))
  },
  { name: 'product-bearer-auth', fastify: '5.x', dependencies: ['product-tokens'] }
)

const makeTokenAuthenticator = ({ productTokens: tokens }: FastifyInstance): Authenticator => ({
  async verifyFromCache(request) {
    const token = readBearerToken(request)
    return tokens.verifyFromCache(token, findEndpoint(request)).catch(checkForm(token))
  },
  async verify(request, version) {
    const token = readBearerToken(request)
    return tokens.verify(token, { version, endpoint: findEndpoint(request) }).catch(checkForm(token))
  }
})

const findEndpoint = ({ routeOptions }: FastifyRequest) => routeOptions.config.productTokensFor

/**
 * Creates a hook that requires a valid access token with one of the scopes. With `mayUseCache`, a token that was valid
 * before passes without the database. The handler must then call {@link checkTokenAgain} when the body has arrived.
 */
export const requireToken =
  (
    { productAuthenticator: authenticator }: FastifyInstance,
    scopes: string[],
    { mayUseCache = false } = {}
  ): onRequestAsyncHookHandler =>
  async (request, reply) => {
    try {
      const known = mayUseCache ? await authenticator.verifyFromCache(request) : undefined
      // A new role may have added the scope since.
      request.productToken = known && hasScope(known, scopes) ? known : await authenticator.verify(request)
      if (!hasScope(request.productToken, scopes)) throw withoutScope(scopes)
    } catch (error) {
      throw addChallenge(reply, error, scopes[0] as string)
    }
  }

/** Returns the token of an authenticated request. Throws TypeError if no hook of {@link requireToken} ran before. */
export function getToken(request: FastifyRequest): VerifiedToken {
  if (!request.productToken) throw new TypeError(`${request.routeOptions.url} does not require a token`)
  return request.productToken
}

/** Checks the token of an authenticated request again, at a version that was read later. */
export async function checkTokenAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  version: Version
): Promise<void> {
  try {
    request.productToken = await request.server.productAuthenticator.verify(request, version)
  } catch (error) {
    throw addChallenge(reply, error, 'read')
  }
}

/** Throws `insufficient_scope` if the token of an authenticated request does not have the scope `read`. */
export function requireReadScope(request: FastifyRequest, reply: FastifyReply): void {
  if (!hasScope(getToken(request), ['read'])) throw addChallenge(reply, withoutScope(['read']), 'read')
}

const withoutScope = (scopes: string[]) => insufficientScope(`without ${scopes.join(' or ')}`)

/** Whether a token has one of the scopes. */
export const hasScope = ({ scopes }: VerifiedToken, wanted: string[]): boolean =>
  wanted.some(name => scopes.includes(name))

/** The form of a token, RFC 6750 §2.1. */
const b64token = /^[A-Za-z0-9\-._~+/]+=*$/

/** Refuses an invalid token of the wrong form as a malformed request. Valid tokens skip this, to save time. */
const checkForm = (token: string) => (error: unknown) => {
  throw b64token.test(token) ? error : malformedBearer()
}

/** Reads the token in the Authorization header. The scheme is case-insensitive, RFC 9110 §11.1. */
function readBearerToken(request: FastifyRequest): string {
  const [authorization, ...more] = listHeaders(request, 'authorization')
  if (authorization === undefined || !/^bearer([ \t]|$)/i.test(authorization)) throw missingToken()
  // A token must be sent in one way only, RFC 6750 §2.
  const isElsewhere = more.length > 0 || 'access_token' in (request.query as object)
  if (isElsewhere || authorization['bearer'.length] !== ' ') throw malformedBearer()
  return authorization.slice('bearer '.length)
}

/** Adds a challenge for an error of authentication to the response. Returns the error, to throw it. */
export function addChallenge(reply: FastifyReply, error: unknown, scope: string): Error {
  // If keys or the database are unavailable, the token may be valid, so there is no challenge.
  if (error instanceof PublicError && error.statusCode < 500) {
    // A request without a token gets no error code, RFC 6750 §3.1.
    const code = error.code === 'missing_token' ? '' : `, error="${error.code}"`
    const needed = error.code === 'insufficient_scope' ? `, scope="${scope}"` : ''
    // RFC 9728 §5.1.
    const endpoint = findEndpoint(reply.request)
    const issuer = reply.server.productTokens.issuer()
    const metadata =
      endpoint && endpoint !== 'any'
        ? `, resource_metadata="${issuer}/.well-known/oauth-protected-resource${endpoint}"`
        : ''
    reply.header('WWW-Authenticate', `Bearer realm="product-templates"${code}${needed}${metadata}`)
  }
  // A host may throw anything. Fastify would send a value that is not an error as a response.
  return error instanceof Error ? error : toPublicError(error)
}
