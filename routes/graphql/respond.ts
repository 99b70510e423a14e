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
  checkTokenAtVersion,
  type GraphqlHttpRequest,
  mayNamePersistedQuery,
  readParameters,
  readParameterText
} from './request.ts'
import { type CachedResponse, type JoinableExecution, joinOwnBytes } from './response-cache.ts'
import { type ExecutedResponse, runRequest } from './run.ts'

/** Maximum characters of a request whose response may be cached. */
const maxKeyLength = 2 ** 16
/**
 * Maximum characters of a subscription's request, which stays in memory as long as its stream. A filter has far fewer.
 */
const maxSubscriptionLength = 2 ** 16

/**
 * Answers GET and POST: sends a cached response, joins the execution of an equal request, or executes the operation.
 * Requests are equal if their parameters are the same text.
 */
export const respond: RouteHandlerMethod = (request, reply) => {
  // This is not awaited, because Fastify would wait for a reply that is sent later.
  answer(request, reply).catch((error: unknown) => reply.send(error))
}

/** Takes the steps of a request, in their order. */
async function answer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { productResponseCache: cache, productOperationQueue: queue } = request.server
  const httpRequest = await checkTokenAtVersion(request, reply)
  const key = toKey(httpRequest)
  if (key === undefined) return execute(httpRequest)
  // The parameters are read before the cache is searched: a new text is stored even if its response is in the cache,
  // and a SHA-256 finds a response only for users who have sent its text.
  const parameters = mayNamePersistedQuery(key) ? await readParameters(request) : undefined
  if (typeof parameters?.query === 'object') return execute(httpRequest, { parameters })
  const entry = cache.find(key, httpRequest.version)
  httpRequest.isCached = entry?.response !== undefined
  const response = entry?.response ?? (entry?.execution && (await cache.join(key, entry.execution)))
  if (response) return sendCachedResponse(httpRequest, key, response)
  // If the response for which this request waited cannot be shared, each request needs its own. If the token has no
  // free slot, this request waits in its queue. Requests of other tokens must not wait with it.
  const canBeJoined = entry?.execution === undefined && !queue.isFull(getToken(request).jti)
  const execution = canBeJoined ? cache.begin(key, httpRequest.version) : undefined
  await execute(httpRequest, { parameters, execution }).finally(() => execution?.end())
}

/** Returns a key with everything that the response depends on; undefined if each request needs its own response. */
function toKey({ request, type }: GraphqlHttpRequest): string | undefined {
  if (type === 'text/event-stream' || asksForCost(request)) return undefined
  const text = readParameterText(request)
  if (text.length > maxKeyLength) return undefined
  // Equal requests with equal rights have equal responses.
  const { scope, rule } = getToken(request)
  return `${request.method} ${type} ${scope} ${rule?.text ?? ''}\n${text}`
}

/** Executes the operation of a request. Equal requests may join `execution`. */
async function execute(
  httpRequest: GraphqlHttpRequest,
  {
    parameters,
    execution
  }: { parameters?: GraphqlRequestParameters | undefined; execution?: JoinableExecution | undefined } = {}
): Promise<void> {
  const { request, version } = httpRequest
  const executed = await runRequest(httpRequest, parameters ?? (await readParameters(request)), { execution })
  if (executed.subscription) return void sendSubscription(httpRequest, executed.subscription)
  if (!executed.isCacheable || !execution?.shouldShare(countBodyBytes(executed.body)))
    return sendExecuted(httpRequest, executed)
  const body = joinOwnBytes(toBuffers(executed.body))
  const response = { body, operation: httpRequest.operation as NamedOperation, compressed: new Map() }
  // Equal requests can join until the response is cached.
  const versionNow = await versionsOf(request.server.productStore)
    .now()
    .catch(() => undefined)
  execution.end(response, versionNow?.templates === version)
  return sendExecuted(httpRequest, { ...executed, body: [body] })
}

/** Sends a response made for this request. Does not return the reply, because the caller would await its end. */
async function sendExecuted(
  httpRequest: GraphqlHttpRequest,
  { result, body, isSecret, pending }: ExecutedResponse
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
  // Apollo's server answers 200, and some clients read no error that has another status.
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

/** Sends a cached response, or that of an equal request. Without memory, throws 503 before any header is set. */
async function sendCachedResponse(
  httpRequest: GraphqlHttpRequest,
  key: string,
  response: CachedResponse
): Promise<void> {
  const { request, reply, isCached } = httpRequest
  const { productPendingResponses, productResponseCache: cache } = request.server
  const accepted = request.headers['accept-encoding']?.toString()
  const { body, coding } = isCached ? cache.encode(key, response, accepted) : { body: response.body }
  const type = contentType(httpRequest.type)
  httpRequest.operation = response.operation
  httpRequest.operation.counters[isCached ? 'cached' : 'joined'].inc()
  productPendingResponses.checkShared(body)
  // POST must not wait here: other responses could take the memory that was just checked.
  if (request.method === 'GET') {
    response.etag ??= computeETag(type, [response.body])
    if (isUnchanged(httpRequest, await response.etag, coding)) return void reply.code(304).send()
  }
  if (coding) reply.header('Content-Encoding', coding)
  sendShared(reply.type(type), body)
}

/** Sets the headers for the client's cache. Returns whether the client has the body in any coding. */
function isUnchanged({ request, reply }: GraphqlHttpRequest, etag: string, coding?: ContentCoding): boolean {
  const own = coding === undefined ? etag : etag.replace(/"$/, `.${coding}"`)
  // Only the client may cache it, and must revalidate it with a valid token before each use.
  reply.headers({ ETag: own, 'Cache-Control': 'private, no-cache' })
  return matchesETag(etag, request.headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))
}

/** Executes a subscription for each change, and sends the results. Throws 400 if the request is too long. */
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
        // The text is parsed for each change, because the text takes less memory than the parameters.
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
