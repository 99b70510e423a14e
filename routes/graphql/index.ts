import fp from 'fastify-plugin'
import type { Api } from '../../graphql/api.ts'
import { addMercurius } from '../../graphql/mercurius.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import type { PublicError } from '../../runtime/errors.ts'
import { addCharset, chooseMediaType } from '../responses/negotiation.ts'
import { responseMemory } from '../responses/response-memory.ts'
import type { Route } from '../route.ts'
import { OperationQueue } from './operation-queue.ts'
import {
  beginExchange,
  checkIdempotencyKey,
  type DocumentFinder,
  type GraphqlExchange,
  keepBytes,
  setDefaultHeaders
} from './request.ts'
import { respond } from './respond.ts'
import { ResponseCache } from './response-cache.ts'

export const graphqlPost: Route = (_app, settings) => ({
  onRequest: [beginExchange(settings), checkIdempotencyKey],
  bodyLimit: settings.graphqlMaxBodySize,
  handler: respond
})

/** Queries and subscriptions by GET. Clients may cache the response and revalidate it by its ETag. */
export const graphqlGet: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  onRequest: beginExchange(settings),
  handler: respond
})

declare module 'fastify' {
  interface FastifyRequest {
    /** null before its headers are checked. */
    productGraphql: GraphqlExchange | null
  }
  interface FastifyInstance {
    /** The schema of the core and the features, with its resolvers. */
    productApi: Api
    /** Finds documents that requests name; undefined without a feature for it. */
    productDocumentFinder: DocumentFinder | undefined
    productResponseCache: ResponseCache
    productOperationQueue: OperationQueue
  }
}

/** Operations of one token that run at the same time in a process. Further ones wait. */
const operationsPerToken = 8

/** Accepts only JSON bodies: any web page can post forms and texts cross-origin, but JSON needs a preflight request. */
export const graphqlProtocol = fp<ServiceSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    if (!app.hasRequestDecorator('productGraphql')) app.decorateRequest('productGraphql', null)
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, keepBytes)
    await app.register(errorHandler, {
      body: formatGraphqlError,
      headers: (_error, { headers }) => ({
        'Content-Type': addCharset(chooseMediaType(headers.accept) ?? 'application/json')
      })
    })
    app.addHook('onRequest', setDefaultHeaders)
    await app.register(responseMemory, settings)
    const cache = new ResponseCache(settings.graphqlResponseCacheSize)
    const queue = new OperationQueue(operationsPerToken, settings.graphqlCostRate)
    app.decorate('productResponseCache', cache)
    app.decorate('productOperationQueue', queue)
    app.productOnScrape(() => ({
      ...queue.readMetricValues(),
      ...cache.readMetricValues(),
      graphql_pending_bytes: app.productResponseMemory.bytes
    }))
    await addMercurius(app, app.productApi, settings)
    const feature = app.productServerAdditions.find(({ makeDocumentFinder }) => makeDocumentFinder)
    app.decorate('productDocumentFinder', await feature?.makeDocumentFinder?.(app, settings))
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** Formats an error as a response that has no data. */
export const formatGraphqlError = ({ code, message }: PublicError, id?: string) => ({
  errors: [{ message, extensions: { code: code.toUpperCase(), ...(id && { id }) } }]
})
