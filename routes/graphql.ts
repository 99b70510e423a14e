import fp from 'fastify-plugin'
import { Type } from 'typebox'
import type { PublicError } from '../errors.ts'
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
export const graphqlProtocol = fp(
  async app => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      app.getDefaultJsonParser('error', 'error')
    )
    await app.register(errorHandler, { body: graphqlErrorBody })
    await app.register(graphqlPlugin)
  },
  { name: 'product-graphql-protocol', fastify: '5.x' }
)

/** The token is checked before the body is read. */
export const graphql: Route = app => ({
  onRequest: app.productBearerAuth('read'),
  schema: { body: Body },
  handler: async (request, reply) => {
    const scopes = new Set(request.productToken?.scope.split(' '))
    reply.type('application/json; charset=utf-8')
    return app.productGraphql(request.body as GraphqlRequest, { db: app.productStore, scopes }, error => {
      request.log.error({ err: error }, 'a resolver failed')
    })
  }
})

const graphqlErrorBody = ({ code, message }: PublicError) => ({
  errors: [{ message, extensions: { code: code.toUpperCase() } }]
})
