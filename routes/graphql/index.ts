import fp from 'fastify-plugin'
import type { Api, TrustedDocuments } from '../../graphql/api.ts'
import { addMercurius, validate } from '../../graphql/mercurius.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { requireToken } from '../../plugins/bearer-auth.ts'
import { errorHandler } from '../../plugins/error-handler.ts'
import { addVary } from '../../plugins/headers.ts'
import type { PublicError } from '../../runtime/errors.ts'
import { acceptedMediaType, contentType } from '../responses/negotiation.ts'
import { pendingResponses } from '../responses/pending-responses.ts'
import type { Route } from '../route.ts'
import { OperationQueue } from './operation-queue.ts'
import { PersistedQueries } from './persisted-queries.ts'
import { checkGraphqlHeaders, checkIdempotencyKey, type GraphqlHttpRequest } from './request.ts'
import { respond } from './respond.ts'
import { ResponseCache } from './response-cache.ts'

/** The token is checked before the body is read. Which scope an operation needs is known only after that. */
export const graphqlPost: Route = (app, settings) => ({
  onRequest: [
    requireToken(app, ['read', 'write', 'admin'], { mayUseCache: true }),
    checkGraphqlHeaders(settings),
    checkIdempotencyKey
  ],
  bodyLimit: settings.graphqlMaxBodySize,
  handler: respond
})

/** Queries and subscriptions by GET. Clients may cache the response and revalidate it by its ETag. */
export const graphqlGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: [requireToken(app, ['read'], { mayUseCache: true }), checkGraphqlHeaders(settings)],
  handler: respond
})

declare module 'fastify' {
  interface FastifyRequest {
    /** null before its headers are checked. */
    productGraphql: GraphqlHttpRequest | null
  }
  interface FastifyInstance {
    /** The schema of the core and the features, with its resolvers. */
    productApi: Api
    /** The texts of operations that requests may name; undefined without such. */
    productTrustedDocuments: TrustedDocuments | undefined
    productPersistedQueries: PersistedQueries
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
    // The body stays unparsed: it is the key of a cached response.
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body)
    )
    await app.register(errorHandler, {
      body: formatGraphqlError,
      contentType: ({ headers }) => contentType(acceptedMediaType(headers.accept) ?? 'application/json')
    })
    // Cacheable responses override this later.
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('Cache-Control', 'no-store')
      addVary(reply, 'Accept, Accept-Encoding, Authorization')
      done()
    })
    await app.register(pendingResponses, settings)
    const cache = new ResponseCache(settings.graphqlResponseCacheSize)
    const queue = new OperationQueue(operationsPerToken, settings.graphqlCostRate)
    app.decorate('productResponseCache', cache)
    app.decorate('productOperationQueue', queue)
    app.productOnScrape(() => ({
      ...queue.readMetricValues(),
      ...cache.readMetricValues(),
      graphql_pending_bytes: app.productPendingResponses.bytes
    }))
    await addMercurius(app, app.productApi, settings)
    const check = (text: string) => validate(app.graphql, text, settings)
    app.decorate('productPersistedQueries', new PersistedQueries())
    const documents = await Promise.all(
      app.productFeatureServers.map(feature => feature.readTrustedDocuments?.(settings, check))
    )
    app.decorate('productTrustedDocuments', documents.find(Boolean))
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** Formats an error as a response that has no data. */
export const formatGraphqlError = ({ code, message }: PublicError, id?: string) => ({
  errors: [{ message, extensions: { code: code.toUpperCase(), ...(id && { id }) } }]
})
