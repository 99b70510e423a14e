import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import { versionsOf } from '../../db/versions.ts'
import { isUnresolved, type Result } from '../../graphql/errors.ts'
import type { GraphqlRequestParameters, SubscriptionStart } from '../../graphql/operation/input.ts'
import { type Body, countBodyBytes, toBuffers } from '../../graphql/result.ts'
import { getToken } from '../../plugins/bearer-auth.ts'
import { badRequest } from '../../runtime/errors.ts'
import type { NamedOperation } from '../../runtime/metrics/metrics.ts'
import { openStream } from '../changes/stream.ts'
import { type ContentCoding, contentType } from '../responses/negotiation.ts'
import { computeETag, matchesETag, sendBody, sendShared } from '../responses/send.ts'
import { asksForText } from './persisted-queries.ts'
import {
  asksForCost,
  enterGraphqlHttpRequest,
  type GraphqlHttpRequest,
  mayNamePersistedQuery,
  readParameters,
  readParameterText
} from './request.ts'
import { joinOwnBytes, type SharedExecution, type SharedResponse } from './response-cache.ts'
import { type OwnResponse, runRequest } from './run.ts'

/** Characters of a request whose response may be kept. */
const maxKeyLength = 2 ** 16
/** Characters of a subscription's request, which stays in memory as long as its stream. A filter needs far fewer. */
const maxSubscriptionLength = 2 ** 16

/**
 * Makes the handler of GET and POST. It sends a kept response, joins the execution of an equal request, or executes the
 * operation. Requests are equal if their parameters are the same text.
 */
export const respond: RouteHandlerMethod = (request, reply) => {
  // Not awaited: Fastify would wait for a reply that is sent later.
  answer(request, reply).catch((error: unknown) => reply.send(error))
}

/** Takes the steps of a request, in their order. */
async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { productResponseCache: cache, productOperationQueue: queue } = request.server
  const httpRequest = await enterGraphqlHttpRequest(request, reply)
  const key = toKey(httpRequest)
  if (key === undefined) return execute(httpRequest)
  // Read before the cache is searched: a new text is kept even if its response is found there, and a SHA-256 finds a
  // response only for users who have sent its text.
  const parameters = mayNamePersistedQuery(key) ? await readParameters(request) : undefined
  if (typeof parameters?.query === 'object') return execute(httpRequest, { parameters })
  const entry = cache.find(key, httpRequest.version)
  httpRequest.isKept = entry?.response !== undefined
  const response = entry?.response ?? (entry?.execution && (await cache.join(key, entry.execution)))
  if (response) return sendSharedResponse(httpRequest, key, response)
  // If the response for which this request waited cannot be shared, each request needs its own. If the token has no free
  // slot, this request waits for other operations of its token, for which equal requests of other tokens must not wait.
  const canShare = entry?.execution === undefined && !queue.isFull(getToken(request).jti)
  const shared = canShare ? cache.begin(key, httpRequest.version) : undefined
  await execute(httpRequest, { parameters, shared }).finally(() => shared?.end())
}

/** Returns a key with everything that the response depends on; undefined if the response is not shared. */
function toKey({ request, type }: GraphqlHttpRequest): string | undefined {
  if (type === 'text/event-stream' || asksForCost(request)) return undefined
  const text = readParameterText(request)
  if (text.length > maxKeyLength) return undefined
  // With the same rights, the same request has the same response.
  const { scope, rule } = getToken(request)
  return `${request.method} ${type} ${scope} ${rule?.text ?? ''}\n${text}`
}

/** Executes the operation of a request for it and, with `shared`, for equal requests that wait. */
async function execute(
  httpRequest: GraphqlHttpRequest,
  {
    parameters,
    shared
  }: { parameters?: GraphqlRequestParameters | undefined; shared?: SharedExecution | undefined } = {}
): Promise<void> {
  const { request, version } = httpRequest
  const own = await runRequest(httpRequest, parameters ?? (await readParameters(request)), { shared })
  if (own.subscription) return void sendSubscription(httpRequest, own.subscription)
  if (!own.isCacheable || !shared?.isWanted(countBodyBytes(own.body))) return sendOwn(httpRequest, own)
  const body = joinOwnBytes(toBuffers(own.body))
  const response = { body, operation: httpRequest.operation as NamedOperation, coded: new Map() }
  // Equal requests can join until the response is kept.
  const versionNow = await versionsOf(request.server.productStore)
    .now()
    .catch(() => undefined)
  shared.end(response, versionNow?.templates === version)
  return sendOwn(httpRequest, { ...own, body: [body] })
}

/** Sends a response made for this request. Must not return the reply: awaiting a Fastify reply waits until it is sent. */
async function sendOwn(
  httpRequest: GraphqlHttpRequest,
  { result, body, isSecret, pending }: OwnResponse
): Promise<void> {
  const { request, reply } = httpRequest
  const type = contentType(httpRequest.type)
  const isForCache = request.method === 'GET' && !result.errors && !isSecret
  if (httpRequest.type === 'text/event-stream') sendBody(reply.type(type), toEvents(body), pending)
  else if (isForCache && isUnchanged(httpRequest, await computeETag(type, toBuffers(body))))
    reply.code(304).send()
  else sendBody(reply.code(statusCode(httpRequest, result)).type(type), body, pending)
}

/** GraphQL over HTTP, "Status Codes": with `application/json`, every well-formed request gets 200. */
function statusCode({ request: { method }, type }: GraphqlHttpRequest, result: Result): number {
  // The protocol of graphql-sse has all errors of a document in an event.
  if ('data' in result || type === 'text/event-stream') return 200
  // As Apollo's server answers: some clients read no error that has another status.
  if (asksForText(result)) return 200
  // GET allows only queries, and this operation cannot be determined.
  if (method === 'GET' && isUnresolved(result)) return 400
  return type === 'application/json' ? 200 : 400
}

/** Makes the events of an operation that has one result, as graphql-sse has them, "Distinct connections mode". */
const toEvents = (body: Body): Uint8Array[] => [
  Buffer.from('event: next\ndata: '),
  ...toBuffers(body),
  Buffer.from('\n\nevent: complete\ndata:\n\n')
]

/** Sends a response to a request that is equal to the one for which it was made. Throws 503 before any header is set if there is too little memory. */
async function sendSharedResponse(
  httpRequest: GraphqlHttpRequest,
  key: string,
  response: SharedResponse
): Promise<void> {
  const { request, reply, isKept } = httpRequest
  const { productPendingResponses, productResponseCache: cache } = request.server
  const accepted = request.headers['accept-encoding']?.toString()
  const { body, coding } = isKept ? cache.encode(key, response, accepted) : { body: response.body }
  const type = contentType(httpRequest.type)
  httpRequest.operation = response.operation
  httpRequest.operation.figures[isKept ? 'kept' : 'shared'].inc()
  productPendingResponses.checkShared(body)
  // POST must not wait here: other responses could take the memory that was just checked.
  if (request.method === 'GET') {
    response.etag ??= computeETag(type, [response.body])
    if (isUnchanged(httpRequest, await response.etag, coding)) return void reply.code(304).send()
  }
  if (coding) reply.header('Content-Encoding', coding)
  sendShared(reply.type(type), body)
}

/** Sets the headers for the client's cache. Returns whether the client has the body, in any coding. */
function isUnchanged({ request, reply }: GraphqlHttpRequest, etag: string, coding?: ContentCoding): boolean {
  const coded = coding === undefined ? etag : etag.replace(/"$/, `.${coding}"`)
  // Only the client may cache it, and must revalidate it with a valid token before each use.
  reply.headers({ ETag: coded, 'Cache-Control': 'private, no-cache' })
  return matchesETag(etag, request.headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))
}

/**
 * Executes a subscription for each change, as an operation of its own, and sends what `write` makes of the result. Throws 400
 * if the request is too long.
 */
export function sendSubscription(
  httpRequest: GraphqlHttpRequest,
  start: SubscriptionStart,
  write = writeEvent
): FastifyReply {
  const { request, reply, settings } = httpRequest
  if (readParameterText(request).length > maxSubscriptionLength)
    throw badRequest(`a subscription has at most ${maxSubscriptionLength} characters`)
  const send = openStream(request, reply, settings)
  return send({
    ...start,
    atOnce: 1,
    async *write(changes) {
      const [change] = changes as [Change]
      const pending = request.server.productPendingResponses.open()
      try {
        // Parsed again, because the text takes less memory meanwhile.
        const parameters = await readParameters(request)
        const { body } = await runRequest(httpRequest, parameters, { event: { change, pending } })
        yield* write(body, change)
      } finally {
        pending.close()
      }
    }
  })
}

async function* writeEvent(body: Body, { position }: Change): AsyncGenerator<string | Uint8Array> {
  yield `id: ${toChangeCursor(position)}\nevent: next\ndata: `
  yield* toBuffers(body)
  yield '\n\n'
}
