import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { invalidRequest, notAcceptable, type PublicError } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { graphql } from '../../plugins/graphql.ts'
import { isPlainUtf8 } from '../plain-utf8.ts'
import { Admission } from './admission.ts'
import { acceptedMediaType, contentType } from './media-type.ts'
import { PendingResponses } from './pending-responses.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productAdmission: Admission
    productPendingResponses: PendingResponses
  }
}

/** Accepts only JSON bodies: any web page can post forms and texts cross-origin, but JSON needs a preflight request. */
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
    // Cacheable responses override this later.
    app.addHook('onRequest', async (_request, reply) => {
      // A host may have set its own, for CORS.
      const vary = [reply.getHeader('vary') ?? [], 'Accept, Authorization'].flat().join(', ')
      reply.headers({ 'Cache-Control': 'no-store', Vary: vary })
    })
    app.decorate(
      'productAdmission',
      new Admission({ concurrency: settings.graphqlConcurrency, costRate: settings.graphqlCostRate })
    )
    boundPendingResponses(app, settings)
    await app.register(graphql, settings)
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** Checks for stalled responses within the time that they may stall. */
const checksPerStall = 4

/** Bounds the memory of the responses of a scope. */
export function boundPendingResponses(app: FastifyInstance, settings: ServiceSettings): void {
  const { graphqlMaxPendingSize: maxSize, graphqlStallTimeout: stallTimeout } = settings
  const responses = new PendingResponses({ maxSize, stallTimeout })
  app.decorate('productPendingResponses', responses)
  const check = () => responses.cutStalled(performance.now())
  const timer = setInterval(check, (stallTimeout * 1000) / checksPerStall).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

/** Refuses requests that accept no supported media type or whose body is not plain UTF-8. */
export const checkHeaders: onRequestAsyncHookHandler = async ({ headers }) => {
  if (!acceptedMediaType(headers.accept)) throw notAcceptable()
  if (!isPlainUtf8(headers)) throw invalidRequest('the body must be plain UTF-8', 415)
}

/** Refuses an Idempotency-Key that is empty, too long or has other characters than visible ASCII. */
export const checkIdempotencyKey: onRequestAsyncHookHandler = async ({ headers }) => {
  const key = headers['idempotency-key']
  if (key !== undefined && !/^[!-~]{1,255}$/.test(String(key)))
    throw invalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters')
}

const graphqlErrorBody = ({ code, message }: PublicError, id?: string) => ({
  errors: [{ message, extensions: { code: code.toUpperCase(), ...(id && { id }) } }]
})
