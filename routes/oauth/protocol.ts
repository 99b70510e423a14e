import rateLimit from '@fastify/rate-limit'
import fp from 'fastify-plugin'
import { invalidRequest, type PublicError, tooManyRequests } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { formBody } from '../../plugins/form-body.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'

/** What the OAuth endpoints have in common: form bodies, answers that are never cached, the error shape. */
export const oauthProtocol = fp<ServiceSettings>(
  async (app, { addressLimit }) => {
    await app.register(formBody)
    await app.register(errorHandler, { body: oauthErrorBody })
    // One count for all endpoints of the protocol, and before anything else is looked at.
    if (addressLimit > 0) {
      await app.register(rateLimit, {
        max: addressLimit,
        timeWindow: 60_000,
        // Nobody but this machine comes by a Unix domain socket, and without an address.
        allowList: ({ ip }) => !ip,
        // An IPv6 network of a household is one address.
        keyGenerator: ({ ip }) => (ip ? rateLimit.normalizeIP(ip, 64) : ''),
        // A refusal has Retry-After alone, and all other answers stay alike.
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
      // Appendix B of RFC 6749 knows one charset, and a form is too short to compress.
      if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
    })
  },
  { name: 'product-oauth-protocol', fastify: '5.x' }
)

const quiet = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }

const registered = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope'
])

/** RFC 6749 §5.2; the codes of the authorization endpoint, §4.1.2.1, serve where the service is at fault. */
function oauthErrorBody({ code, statusCode, message }: PublicError) {
  if (statusCode === 503 || statusCode === 429)
    return { error: 'temporarily_unavailable', error_description: message }
  if (statusCode >= 500) return { error: 'server_error', error_description: message }
  return { error: registered.has(code) ? code : 'invalid_request', error_description: message }
}
