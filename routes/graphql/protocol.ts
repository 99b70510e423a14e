import type { onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { invalidRequest, notAcceptable, type PublicError } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { graphql } from '../../plugins/graphql.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'
import { Admission } from './admission.ts'
import { acceptedMediaType, contentType } from './media-type.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productAdmission: Admission
  }
}

/** JSON bodies only: any web page can post a form or a text to here, but no JSON without our consent. */
export const graphqlProtocol = fp<ServiceSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    if (!app.hasRequestDecorator('productCost')) app.decorateRequest('productCost', null)
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      app.getDefaultJsonParser('error', 'error')
    )
    await app.register(errorHandler, {
      body: graphqlErrorBody,
      contentType: ({ headers }) => contentType(acceptedMediaType(headers.accept) ?? 'application/json')
    })
    // What may be kept says so later.
    app.addHook('onRequest', async (_request, reply) => {
      // A host may have its own, for CORS.
      const vary = [reply.getHeader('vary') ?? [], 'Accept, Authorization'].flat().join(', ')
      reply.headers({ 'Cache-Control': 'no-store', Vary: vary })
    })
    app.decorate(
      'productAdmission',
      new Admission({ concurrency: settings.graphqlConcurrency, costRate: settings.graphqlCostRate })
    )
    await app.register(graphql, settings)
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** Lets a request pass whose answer its client accepts, and whose body, if it has one, can be read. */
export const checkHeaders: onRequestAsyncHookHandler = async ({ headers }) => {
  if (!acceptedMediaType(headers.accept)) throw notAcceptable()
  if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
}

const graphqlErrorBody = ({ code, message }: PublicError, id?: string) => ({
  errors: [{ message, extensions: { code: code.toUpperCase(), ...(id && { id }) } }]
})
