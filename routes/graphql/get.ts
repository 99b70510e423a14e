import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { badRequest, methodNotAllowed } from '../../errors.ts'
import { computeETag, isKnown } from '../etag.ts'
import type { Route } from '../route.ts'
import { answerTo } from './answer.ts'
import { checkHeaders } from './protocol.ts'
import { RequestParameters } from './request.ts'
import { sendBody } from './send.ts'

/** Queries by GET. Clients may cache the response and revalidate it by its ETag. */
export const graphqlGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: [app.productBearerAuth('read'), checkHeaders],
  preValidation: async request => {
    request.query = await parseQueryString(app, request)
  },
  schema: { querystring: RequestParameters },
  handler: async (request, reply) => {
    const refuse = refuseOtherThanQueries(reply)
    const answer = await answerTo(request, reply, app, settings, refuse)
    const { statusCode, type, body, complete, pending } = answer
    if (!complete) return sendBody(reply.code(statusCode).type(type), body, pending)
    const etag = await computeETag(type, body)
    // Only the client may cache it, and must revalidate it with a valid token before each use.
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache' })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    return sendBody(reply.type(type), body, pending)
  }
})

/** GraphQL over HTTP, "GET": variables and extensions are JSON; an empty operation name counts as absent. */
async function parseQueryString(app: FastifyInstance, request: FastifyRequest) {
  const { variables, extensions, operationName, ...more } = request.query as Record<string, unknown>
  const parser = app.getDefaultJsonParser('error', 'error')
  const parseJson = (name: string, text: unknown) =>
    // A repeated parameter is a list.
    typeof text !== 'string'
      ? text
      : new Promise((resolve, reject) => {
          parser(request, text, (error, value) =>
            error ? reject(badRequest(`${name} must be JSON`)) : resolve(value)
          )
        })
  return {
    ...more,
    operationName: operationName === '' ? null : operationName,
    variables: await parseJson('variables', variables),
    extensions: await parseJson('extensions', extensions)
  }
}

const refuseOtherThanQueries = (reply: FastifyReply) => (operation: OperationTypeNode) => {
  if (operation === OperationTypeNode.QUERY) return
  reply.header('Allow', 'POST')
  throw methodNotAllowed(`a ${operation} by GET`)
}
