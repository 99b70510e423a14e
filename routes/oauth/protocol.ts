import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { invalidRequest, type PublicError, tooManyRequests } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { formBody } from '../../plugins/form-body.ts'
import type { Siblings } from '../../plugins/siblings.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'

/** Shared by the OAuth endpoints: form bodies, uncached responses, the error format. */
export const oauthProtocol = fp<ServiceSettings>(
  async (app, { addressLimit }) => {
    await app.register(formBody)
    await app.register(errorHandler, { body: oauthErrorBody })
    // One counter for all OAuth endpoints, before anything else is checked.
    if (addressLimit > 0) {
      await app.register(rateLimit, {
        max: addressLimit,
        timeWindow: 60_000,
        ...(app.productSiblings && { store: countTogether(app.productSiblings) }),
        // On a Unix domain socket, requests come from this machine only and have no address.
        allowList: ({ ip }) => !ip,
        // An IPv6 /64 network, such as that of a household, counts as one address.
        keyGenerator: ({ ip }) => (ip ? rateLimit.normalizeIP(ip, 64) : ''),
        // Only a refusal has a header, Retry-After; all other responses look the same.
        addHeaders: quiet,
        addHeadersOnExceeding: quiet,
        errorResponseBuilder: (_request, { ttl }) =>
          tooManyRequests('requests of the address', Math.ceil(ttl / 1000))
      })
    }
    app.addHook('onRequest', async (_request, reply) => {
      // RFC 6749 §5.1.
      reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    })
    app.addHook('preParsing', async ({ headers }) => {
      // RFC 6749 appendix B allows only UTF-8, and a form is too short to compress.
      if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
    })
  },
  { name: 'product-oauth-protocol', fastify: '5.x' }
)

/** Makes a store of @fastify/rate-limit that counts the requests to all siblings. */
const countTogether = (siblings: Siblings): FastifyRateLimitStoreCtor =>
  class Together {
    incr(address: string, done: CountCallback, milliseconds: number): void {
      siblings.countRequest(address, milliseconds).then(count => done(null, count), done)
    }

    child() {
      return this
    }
  }

type CountCallback = Parameters<FastifyRateLimitStore['incr']>[1]

const quiet = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }

const registered = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope'
])

/** Formats an error, RFC 6749 §5.2. Errors of the service use the codes of the authorization endpoint, §4.1.2.1. */
function oauthErrorBody({ code, statusCode, message }: PublicError) {
  if (statusCode === 503 || statusCode === 429)
    return { error: 'temporarily_unavailable', error_description: message }
  if (statusCode >= 500) return { error: 'server_error', error_description: message }
  return { error: registered.has(code) ? code : 'invalid_request', error_description: message }
}
