import fp from 'fastify-plugin'
import { Type } from 'typebox'
import type { PublicError } from '../errors.ts'
import type { ServiceSettings } from '../options.ts'
import { errorHandler } from '../plugins/error-handler.ts'
import { type GraphqlRequest, graphql as graphqlPlugin } from '../plugins/graphql.ts'
import type { Route } from './route.ts'

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
const Body = Type.Object({
  query: Type.String(),
  variables: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  operationName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  extensions: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]))
})

/** JSON bodies only: any web page can post a form or a text to here, but no JSON without our consent. */
export const graphqlProtocol = fp<ServiceSettings>(
  async (app, settings) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      app.getDefaultJsonParser('error', 'error')
    )
    await app.register(errorHandler, { body: graphqlErrorBody })
    await app.register(graphqlPlugin, settings)
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** The token is checked before the body is read. */
export const graphql: Route = (app, { graphqlMaxBodySize }) => ({
  onRequest: app.productBearerAuth('read'),
  bodyLimit: graphqlMaxBodySize,
  schema: { body: Body },
  handler: async (request, reply) => {
    const scopes = new Set(request.productToken?.scope.split(' '))
    reply.type('application/json; charset=utf-8')
    const context = { db: app.productStore, scopes }
    return app.productGraphql(request.body as GraphqlRequest, context, {
      report: (err, errorId) => request.log.error({ err, errorId }, 'a resolver failed')
    })
  }
})

const graphqlErrorBody = ({ code, message }: PublicError, id?: string) => ({
  errors: [{ message, extensions: { code: code.toUpperCase(), ...(id && { id }) } }]
})
