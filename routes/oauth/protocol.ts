import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { clientChallenge } from '../../plugins/authentication/client-auth.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { isPlainUtf8 } from '../../plugins/headers.ts'
import type { ErrorCode } from '../../runtime/error-codes.ts'
import { invalidRequest, type PublicError } from '../../runtime/errors.ts'
import { html, page, pageHeaders } from './pages/layout.ts'
import { parseForm } from './parameters.ts'

/** OAuth endpoints share this: form bodies, uncached responses, the error format. */
export const oauthProtocol = fp(
  async app => {
    // A malformed body is a value, not an error, because a client with a secret is authenticated before it is refused.
    // A token request has a few short parameters.
    await acceptForms(app, 'body', { bodyLimit: 16 * 1024, parser: parseForm })
    await app.register(errorHandler, {
      body: formatOAuthError,
      // RFC 9110 §15.5.2. A grant may refuse a client, too, if the client has changed since it was authenticated.
      headers: ({ code }) => (code === 'invalid_client' ? { 'WWW-Authenticate': clientChallenge } : {})
    })
    app.addHook('onRequest', async (_request, reply) => {
      // RFC 6749 §5.1.
      reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    })
    app.addHook('onRequest', app.productAddressLimit)
  },
  { name: 'product-oauth-protocol', fastify: '5.x' }
)

/** Endpoints that show pages share this: forms as texts, uncached pages, errors as pages. */
export const pageProtocol = fp(
  async app => {
    // This is above the limit on all parameters together, so that the page shows the message of that limit.
    await acceptForms(app, 'form', { bodyLimit: 64 * 1024, parser: text => text })
    await app.register(errorHandler, { body: errorPage, headers: () => pageHeaders("'none'") })
    app.addHook('onRequest', async (_request, reply) => {
      // A host may allow other origins to read all its responses.
      for (const name of Object.keys(reply.getHeaders()))
        if (name.startsWith('access-control-')) reply.removeHeader(name)
      reply.headers({ 'Cache-Control': 'no-store', ...pageHeaders("'none'") })
    })
    app.addHook('onRequest', app.productAddressLimit)
  },
  { name: 'product-page-protocol', fastify: '5.x' }
)

/** Accepts only forms. `bodyLimit` is in bytes; `name` is the word for a body in errors. */
async function acceptForms(
  app: FastifyInstance,
  name: string,
  { bodyLimit, parser }: { bodyLimit: number; parser: (text: string) => unknown }
): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody, { bodyLimit, parser: parser as never })
  app.addHook('preParsing', async ({ headers }) => {
    // RFC 6749 appendix B allows only UTF-8, and a form is too short to compress.
    if (!isPlainUtf8(headers)) throw invalidRequest(`the ${name} must be plain UTF-8`, 415)
  })
}

/** The codes of HTTP errors, which OAuth does not register. */
const httpCodes: ErrorCode[] = ['bad_request', 'forbidden', 'method_not_allowed', 'missing_token']

/** Formats an error, RFC 6749 §5.2. Errors of the service use the codes of the authorization endpoint, §4.1.2.1. */
export function formatOAuthError({ code, statusCode, message }: PublicError) {
  if (statusCode === 503 || statusCode === 429)
    return { error: 'temporarily_unavailable', error_description: message }
  if (statusCode >= 500) return { error: 'server_error', error_description: message }
  return { error: httpCodes.includes(code) ? 'invalid_request' : code, error_description: message }
}

/** Makes the page of an error. It never quotes the request. */
const errorPage = ({ statusCode, message }: PublicError, id?: string): string =>
  page(
    statusCode >= 500 ? 'The service has a problem' : 'This request cannot be answered',
    html`<p role="alert">${message}.</p>
${id !== undefined && html`<p>The log has the details under the id ${id}.</p>`}
<p>Go back to the application that sent you here, and try again from there.</p>`
  )
