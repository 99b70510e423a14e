import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { methodNotAllowed } from '../../errors.ts'
import type { Route } from '../route.ts'
import { answerTo } from './answer.ts'
import { checkHeaders } from './protocol.ts'
import { RequestParameters } from './request.ts'

/** Queries that a client may keep, and ask for again by their ETag. */
export const graphqlGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: [app.productBearerAuth('read'), checkHeaders],
  preValidation: async request => {
    request.query = await decoded(app, request)
  },
  schema: { querystring: RequestParameters },
  handler: async (request, reply) => {
    const refuse = onlyQueries(reply)
    const { statusCode, type, body, complete } = await answerTo(request, reply, app, settings, refuse)
    if (!complete) return reply.code(statusCode).type(type).send(Buffer.concat(body))
    const etag = entityTag(type, body)
    // Kept by the client alone, and not used again before we said that its token still counts.
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache' })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    return reply.type(type).send(Buffer.concat(body))
  }
})

/** GraphQL over HTTP, "GET": variables and extensions are JSON, an empty operation name counts as absent. */
async function decoded(app: FastifyInstance, request: FastifyRequest) {
  const { variables, extensions, operationName, ...more } = request.query as Record<string, unknown>
  const parser = app.getDefaultJsonParser('error', 'error')
  const parsed = (text: unknown) =>
    // Given twice it comes as a list.
    typeof text !== 'string'
      ? text
      : new Promise((resolve, reject) => {
          parser(request, text, (error, value) => (error ? reject(error) : resolve(value)))
        })
  return {
    ...more,
    operationName: operationName === '' ? null : operationName,
    variables: await parsed(variables),
    extensions: await parsed(extensions)
  }
}

const onlyQueries = (reply: FastifyReply) => (operation: OperationTypeNode) => {
  if (operation === OperationTypeNode.QUERY) return
  reply.header('Allow', 'POST')
  throw methodNotAllowed(`a ${operation} by GET`)
}

/** Strong: of the bytes and of what they are to be read as, RFC 9110 §8.8.1. */
function entityTag(type: string, body: Buffer[]): string {
  const hash = createHash('sha256').update(`${type}\n`)
  for (const bytes of body) hash.update(bytes)
  return `"${hash.digest('base64url')}"`
}

/** RFC 9110 §13.1.2. */
const isKnown = (etag: string, header: string | undefined): boolean =>
  header?.trim() === '*' || (header?.match(/"[^"]*"/g)?.includes(etag) ?? false)
