import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { badRequest, methodNotAllowed } from '../../errors.ts'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import { computeETag, isKnown } from '../etag.ts'
import type { Route } from '../route.ts'
import { contentType } from './media-type.ts'
import { checkHeaders } from './protocol.ts'
import { checkParameters, parseJson } from './request.ts'
import { type Method, Responder } from './respond.ts'
import type { Exchange } from './run.ts'

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
  async isUnchanged({ request, reply, type }, body, coding) {
    const etag = await etagOf(type, body)
    const coded = coding === undefined ? etag : etag.replace(/"$/, `.${coding}"`)
    // Only the client may cache it, and must revalidate it with a valid token before each use.
    reply.headers({ ETag: coded, 'Cache-Control': 'private, no-cache' })
    // The client may have it in another coding.
    return isKnown(etag, request.headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))
  }
})

/** ETags by the first buffer of a body. */
const etags = new WeakMap<Buffer, string>()

async function etagOf(type: Exchange['type'], body: Buffer[]): Promise<string> {
  const [first] = body as [Buffer]
  const etag = etags.get(first) ?? (await computeETag(contentType(type), body))
  etags.set(first, etag)
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
