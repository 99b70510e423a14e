import fp from 'fastify-plugin'
import { invalidRequest, type PublicError } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { formBody } from '../../plugins/form-body.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'
import { limitAddresses } from './address-limit.ts'

/** Shared by the OAuth endpoints: form bodies, uncached responses, the error format. */
export const oauthProtocol = fp<ServiceSettings>(
  async (app, { addressLimit }) => {
    await app.register(formBody)
    await app.register(errorHandler, { body: oauthErrorBody })
    await limitAddresses(app, addressLimit)
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
