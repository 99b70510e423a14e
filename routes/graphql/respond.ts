import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { versionsOf } from '../../db/versions.ts'
import { isUnresolved } from '../../graphql/errors.ts'
import type { ExecutedOperation } from '../../graphql/execute.ts'
import type { GraphqlRequestParameters } from '../../graphql/operation/operation.ts'
import { type Body, countBodyBytes, toBuffers } from '../../graphql/result.ts'
import { getToken } from '../../plugins/authentication/bearer-auth.ts'
import type { NamedOperation } from '../../runtime/metrics/metrics.ts'
import { sendStream } from '../changes/stream.ts'
import { addCharset, type ContentCoding } from '../responses/negotiation.ts'
import { computeETag, matchesETag, sendOwn, sendShared } from '../responses/send.ts'
import { type ExecutedResponse, executeRequest } from './execute-request.ts'
import {
  asksForCost,
  checkTokenAtVersion,
  type GraphqlExchange,
  readParameters,
  readParameterText
} from './request.ts'
import { type CachedResponse, type JoinableExecution, joinOwnBytes } from './response-cache.ts'
import { openSubscription } from './subscription.ts'

/** Maximum characters of a request whose response may be cached. */
const maxKeyLength = 2 ** 16

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
  const { productResponseCache: cache, productOperationQueue: queue, productDocumentFinder } = request.server
  const exchange = await checkTokenAtVersion(request, reply)
  const key = toKey(exchange)
  if (key === undefined) return executeAndSend(exchange)
  // The parameters are read before the cache is searched: a new text is stored even if its response is in the cache,
  // and a SHA-256 finds a response only for users who have sent its text.
  const parameters = productDocumentFinder?.isPersonal(key) ? await readParameters(request) : undefined
  if (typeof parameters?.query === 'object') return executeAndSend(exchange, parameters)
  const entry = cache.find(key, exchange.templatesVersion)
  exchange.isCached = entry?.response !== undefined
  const response = entry?.response ?? (entry?.execution && (await cache.join(key, entry.execution)))
  if (response) return sendSharedResponse(exchange, key, response)
  // Do not let others join this execution in two cases: it has waited for a response that cannot be shared, so each
  // request needs its own; or its token is at its limit, and requests of other tokens must not wait in its queue.
  const canBeJoined = entry?.execution === undefined && !queue.isAtLimit(getToken(request).jti)
  const execution = canBeJoined ? cache.begin(key, exchange.templatesVersion) : undefined
  await executeAndSend(exchange, parameters, execution).finally(() => execution?.end())
}

/** Returns a key with everything that the response depends on; undefined if each request needs its own response. */
function toKey({ request, type }: GraphqlExchange): string | undefined {
  if (type === 'text/event-stream' || asksForCost(request)) return undefined
  const text = readParameterText(request)
  if (text.length > maxKeyLength) return undefined
  // Equal requests with equal rights have equal responses.
  const { scope, rule } = getToken(request)
  return `${request.method} ${type} ${scope} ${rule?.text ?? ''}\n${text}`
}

/** Executes the operation of a request, and sends the response. Equal requests may join `execution`. */
async function executeAndSend(
  exchange: GraphqlExchange,
  parameters?: GraphqlRequestParameters,
  execution?: JoinableExecution
): Promise<void> {
  const { request, reply } = exchange
  const executed = await executeRequest(exchange, parameters ?? (await readParameters(request)), {
    execution
  })
  if (executed.subscription) return void sendStream(reply, openSubscription(exchange, executed.subscription))
  if (!executed.isCacheable || !execution?.shouldShare(countBodyBytes(executed.body)))
    return sendOwnResponse(exchange, executed)
  const body = joinOwnBytes(toBuffers(executed.body))
  await shareResponse(exchange, execution, body)
  return sendOwnResponse(exchange, { ...executed, body: [body] })
}

/** Gives the response of an execution to the requests that have joined it, and caches it. */
async function shareResponse(
  { request, templatesVersion, namedOperation }: GraphqlExchange,
  execution: JoinableExecution,
  body: Buffer
): Promise<void> {
  const response = { body, namedOperation: namedOperation as NamedOperation, compressed: new Map() }
  // Equal requests can join until the response is cached.
  const versionNow = await versionsOf(request.server.productStore)
    .now()
    .catch(() => undefined)
  execution.end(response, versionNow?.templates === templatesVersion)
}

/** Sends a response made for this request. Does not return the reply, because the caller would await its end. */
async function sendOwnResponse(exchange: GraphqlExchange, executed: ExecutedResponse): Promise<void> {
  const { request, reply } = exchange
  const { body, errors, isSecret, pendingResponse } = executed
  const type = addCharset(exchange.type)
  if (exchange.type === 'text/event-stream')
    return sendOwn(reply, toEvents(body), { 'Content-Type': type }, pendingResponse)
  if (request.method === 'GET' && !errors && !isSecret) {
    const etag = await computeETag(type, toBuffers(body))
    reply.headers(makeCacheHeaders(etag))
    if (isUnchanged(request, etag)) return void reply.code(304).send()
  }
  sendOwn(reply.code(chooseStatus(exchange, executed)), body, { 'Content-Type': type }, pendingResponse)
}

/** GraphQL over HTTP, "Status Codes": with `application/json`, every well-formed request gets 200. */
function chooseStatus(
  { request: { method }, type, asksForDocument }: GraphqlExchange,
  executed: ExecutedOperation
): number {
  // The protocol of graphql-sse has all errors of a document in an event.
  if (executed.hasData || type === 'text/event-stream' || asksForDocument) return 200
  // GET allows only queries, and this operation cannot be determined.
  if (method === 'GET' && isUnresolved(executed)) return 400
  return type === 'application/json' ? 200 : 400
}

/** Makes the events of an operation that has one result, as graphql-sse has them, "Distinct connections mode". */
const toEvents = (body: Body): Uint8Array[] => [
  Buffer.from('event: next\ndata: '),
  ...toBuffers(body),
  Buffer.from('\n\nevent: complete\ndata:\n\n')
]

/** Sends a cached response, or that of an equal request. Throws 503 if there is too little memory for it. */
async function sendSharedResponse(
  exchange: GraphqlExchange,
  key: string,
  response: CachedResponse
): Promise<void> {
  const { request, reply, isCached } = exchange
  const { productResponseCache: cache } = request.server
  const accepted = request.headers['accept-encoding']?.toString()
  const { body, coding } = isCached ? cache.encode(key, response, accepted) : { body: response.body }
  const type = addCharset(exchange.type)
  const headers = { 'Content-Type': type, ...(coding && { 'Content-Encoding': coding }) }
  exchange.namedOperation = response.namedOperation
  response.namedOperation.counters[isCached ? 'cached' : 'joined'].inc()
  if (request.method !== 'GET') return sendShared(reply, body, headers)
  response.etag ??= computeETag(type, [response.body])
  const etag = await response.etag
  if (isUnchanged(request, etag)) reply.headers(makeCacheHeaders(etag, coding)).code(304).send()
  else sendShared(reply, body, { ...headers, ...makeCacheHeaders(etag, coding) })
}

/** Whether the client has a body in any coding. */
const isUnchanged = ({ headers }: FastifyRequest, etag: string): boolean =>
  matchesETag(etag, headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))

/** Only the client may cache a response, and must revalidate it with a valid token before each use. */
const makeCacheHeaders = (etag: string, coding?: ContentCoding) => ({
  ETag: coding === undefined ? etag : etag.replace(/"$/, `.${coding}"`),
  'Cache-Control': 'private, no-cache'
})
