import fp from 'fastify-plugin'
import { invalidRequest, type PublicError } from '../../../errors.ts'
import { errorHandler } from '../../../plugins/error-handler.ts'
import { isPlainUtf8 } from '../../responses/negotiation.ts'
import { html, page, pageHeaders } from './layout.ts'

/** Maximum bytes of a body. Larger than the limit of the parameters, which has its own message. */
const bodyLimit = 64 * 1024

/** Shared by the endpoints that show pages: forms as texts, uncached pages, errors as pages. */
export const pageProtocol = fp(
  async app => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit },
      (_request, body, done) => done(null, body)
    )
    await app.register(errorHandler, { body: errorPage, contentType: () => 'text/html; charset=utf-8' })
    app.addHook('onRequest', async (_request, reply) => {
      // A host may allow other origins to read all its responses.
      for (const name of Object.keys(reply.getHeaders()))
        if (name.startsWith('access-control-')) reply.removeHeader(name)
      reply.headers({ 'Cache-Control': 'no-store', ...pageHeaders("'none'") })
    })
    app.addHook('onRequest', app.productAddressLimit)
    app.addHook('preParsing', async ({ headers }) => {
      if (!isPlainUtf8(headers)) throw invalidRequest('the form must be plain UTF-8', 415)
    })
  },
  { name: 'product-page-protocol', fastify: '5.x' }
)

/** Makes the page of an error. It never quotes the request. */
const errorPage = ({ statusCode, message }: PublicError, id?: string): string =>
  page(
    statusCode >= 500 ? 'The service has a problem' : 'This request cannot be answered',
    html`<p role="alert">${message}.</p>
${id !== undefined && html`<p>The log has the details with the number ${id}.</p>`}
<p>Go back to the application that sent you here, and try again from there.</p>`
  )
