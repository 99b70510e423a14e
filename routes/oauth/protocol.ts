import formbody from '@fastify/formbody'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { invalidRequest, type PublicError } from '../../errors.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { type Form, parseForm } from '../../plugins/form-body.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'
import './request-limits.ts'

/** Bytes. A token request has a few short parameters. */
const bodyLimit = 16 * 1024

/** Shared by the OAuth endpoints: form bodies, uncached responses, the error format. */
export const oauthProtocol = fp(
  async app => {
    // The host's parsers are not affected.
    app.removeAllContentTypeParsers()
    // A malformed body is a value, not an error, because the client is authenticated before it is refused.
    await app.register(formbody, { bodyLimit, parser: parseForm as never })
    await app.register(errorHandler, { body: oauthErrorBody })
    app.addHook('onRequest', async (_request, reply) => {
      // RFC 6749 §5.1.
      reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    })
    app.addHook('onRequest', app.productAddressLimit)
    app.addHook('preParsing', async ({ headers }) => {
      // RFC 6749 appendix B allows only UTF-8, and a form is too short to compress.
      if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
    })
  },
  { name: 'product-oauth-protocol', fastify: '5.x' }
)

/** The codes of RFC 6749 §5.2. */
const registered = /^(invalid_(request|client|grant|scope)|unauthorized_client|unsupported_grant_type)$/

/** Formats an error, RFC 6749 §5.2. Errors of the service use the codes of the authorization endpoint, §4.1.2.1. */
function oauthErrorBody({ code, statusCode, message }: PublicError) {
  if (statusCode === 503 || statusCode === 429)
    return { error: 'temporarily_unavailable', error_description: message }
  if (statusCode >= 500) return { error: 'server_error', error_description: message }
  return { error: registered.test(code) ? code : 'invalid_request', error_description: message }
}

/** The parameters of all grants that carry credentials. In a URL they would end up in logs, RFC 6749 §2.3.1. */
const credentials = 'client_secret token username email password code code_verifier refresh_token'.split(' ')

/**
 * Returns the parameters of an OAuth request; an empty one counts as absent, RFC 6749 §3.2. Throws `invalid_request`
 * for a malformed body, credentials in the URL and a second authentication method.
 */
export function oauthParameters({ body, query, productClient }: FastifyRequest): Form {
  const form: Form = Object.create(null)
  const given = typeof body === 'string' ? {} : ((body ?? {}) as Form)
  for (const [name, value] of Object.entries(given)) if (value !== '') form[name] = value
  const problem =
    (credentials.some(name => name in (query as object)) && 'credentials are not allowed in the URL') ||
    (typeof body === 'string' && body) ||
    // One authentication method per request, RFC 6749 §2.3.
    (form.client_secret && 'client credentials are allowed in the header or the body, not in both') ||
    (form.client_id &&
      form.client_id !== productClient?.id &&
      'client_id differs from the authenticated client')
  if (problem) throw invalidRequest(problem)
  return form
}
