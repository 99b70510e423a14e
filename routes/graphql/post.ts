import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import type { Route } from '../route.ts'
import { checkHeaders, checkIdempotencyKey } from './protocol.ts'
import { checkParameters, parseJson } from './request.ts'
import { Responder } from './respond.ts'

/** The token is checked before the body is read; which scope is needed is known only then. */
export const graphqlPost: Route = (app, settings) => ({
  onRequest: [app.productRecallToken('read', 'write'), checkHeaders, checkIdempotencyKey],
  bodyLimit: settings.graphqlMaxBodySize,
  handler: new Responder(app, settings, {
    // A host's hook may have replaced it.
    raw: ({ body }) => (Buffer.isBuffer(body) ? body.toString('latin1') : undefined),
    parse: request => parseBody(app, request)
  }).handle
})

/** Parses the body, which the parser has left as bytes. */
async function parseBody(app: FastifyInstance, request: FastifyRequest): Promise<GraphqlRequest> {
  const { body } = request
  if (!Buffer.isBuffer(body)) return checkParameters(body)
  return checkParameters(await parseJson(app, request, body.toString()))
}
