import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { badRequest, methodNotAllowed } from '../../errors.ts'
import type { GraphqlRequest } from '../../plugins/graphql.ts'
import { computeETag, isKnown } from '../etag.ts'
import { sendBody, sendShared } from '../responses/send.ts'
import type { Route } from '../route.ts'
import { contentType, type MediaType } from './media-type.ts'
import { checkHeaders } from './protocol.ts'
import { checkParameters, parseJson } from './request.ts'
import { type Method, Responder } from './respond.ts'

/** Queries by GET. Clients may cache the response and revalidate it by its ETag. */
export const graphqlGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: [app.productRecallToken('read'), checkHeaders],
  handler: new Responder(app, settings, get(app)).handle
})

const get = (app: FastifyInstance): Method => ({
  // A host's hook may change the query, not the URL.
  raw: () => undefined,
  parse: request => parseQueryString(app, request),
  refuse(reply, operation) {
    if (operation === OperationTypeNode.QUERY) return
    reply.header('Allow', 'POST')
    throw methodNotAllowed(`a ${operation} by GET`)
  },
  async send(request, reply, { statusCode, type, body, complete, pending }) {
    if (complete && isUnchanged(request, reply, await computeETag(type, body))) reply.code(304).send()
    else sendBody(reply.code(statusCode).type(type), body, pending)
  },
  async sendKept(request, reply, kept) {
    const etag = await etagOf(kept.type, kept.plain)
    if (isUnchanged(request, reply, etag, kept.coding)) reply.code(304).send()
    else sendShared(reply, kept, app.productPendingResponses)
  }
})

/** Sets the ETag, with the coding in it, and returns whether the client has the response, in whatever coding. */
function isUnchanged(request: FastifyRequest, reply: FastifyReply, etag: string, coding = ''): boolean {
  const coded = coding && etag.replace(/"$/, `.${coding}"`)
  // Only the client may cache it, and must revalidate it with a valid token before each use.
  reply.headers({ ETag: coded || etag, 'Cache-Control': 'private, no-cache' })
  return isKnown(etag, request.headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))
}

/** ETags of bodies that are kept. */
const etags = new WeakMap<Buffer, string>()

async function etagOf(type: MediaType, body: Buffer): Promise<string> {
  const etag = etags.get(body) ?? (await computeETag(contentType(type), [body]))
  etags.set(body, etag)
  return etag
}

/** GraphQL over HTTP, "GET": variables and extensions are JSON; an empty operation name counts as absent. */
async function parseQueryString(app: FastifyInstance, request: FastifyRequest): Promise<GraphqlRequest> {
  const { variables, extensions, operationName, ...more } = request.query as Record<string, unknown>
  const parse = (name: string, text: unknown) =>
    // A repeated parameter is a list.
    typeof text !== 'string'
      ? text
      : parseJson(app, request, text).catch(() => {
          throw badRequest(`${name} must be JSON`)
        })
  return checkParameters({
    ...more,
    operationName: operationName === '' ? null : operationName,
    variables: await parse('variables', variables),
    extensions: await parse('extensions', extensions)
  })
}
