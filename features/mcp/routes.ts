import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { countBodyBytes } from '../../graphql/result.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { getToken, requireReadScope } from '../../plugins/authentication/bearer-auth.ts'
import { isKnownOrigin, readOrigins } from '../../plugins/headers.ts'
import { type ExecutedResponse, executeRequest } from '../../routes/graphql/execute-request.ts'
import type { QueueSlot } from '../../routes/graphql/operation-queue.ts'
import {
  beginExchange,
  checkIdempotencyKey,
  checkTokenAtVersion,
  type GraphqlExchange,
  jsonBounds,
  parseRequestJson,
  readParameterText
} from '../../routes/graphql/request.ts'
import { countRequestBytes, takeSlot } from '../../routes/graphql/take-slot.ts'
import { chooseMessageType } from '../../routes/responses/negotiation.ts'
import { whenClosed } from '../../routes/responses/response-memory.ts'
import { sendOwn } from '../../routes/responses/send.ts'
import type { Route } from '../../routes/route.ts'
import { badRequest, foreignOrigin, overloaded } from '../../runtime/errors.ts'
import { findJsonExcess } from '../../runtime/json-values.ts'
import { createServers, type GraphqlResponse } from './mcp-server.ts'
import { envelopeLimits, type Message, maxEnvelopeLength, splitMessage } from './message.ts'
import type { McpLibrary } from './server.ts'

/** Limits on the JSON of a message: the arguments of a tool may have 10,000 values. */
const messageBounds = { ...jsonBounds, values: 20_000 }
/** Maximum bytes of a result. A model cannot read more, and the response has the result twice, as text and as JSON. */
const maxResultBytes = 2 ** 20
/** Characters of the message of an error. */
const maxErrorLength = 1000
/** The cost of a character of a message that the SDK checks: 0.03 to 0.15, in units of `admission/unit-costs.ts`. */
const messageCostPerCharacter = 1 / 25

/**
 * The Model Context Protocol over streamable HTTP without sessions: one message, one response. Each tool is a
 * GraphQL operation, which runs like a request to `/graphql`.
 */
export const mcpPost: Route = (app, given) => {
  const library = app.productMcp
  const createServer = createServers(library, app.graphql.schema)
  const settings = { ...given, graphqlMaxResultSize: Math.min(given.graphqlMaxResultSize, maxResultBytes) }
  return {
    onRequest: [beginExchange(settings, chooseMessageType), checkIdempotencyKey],
    bodyLimit: given.graphqlMaxBodySize,
    // Not async: Fastify would wait for a reply that is sent later.
    handler: (request, reply) => {
      respond(request, reply, { library, createServer }).catch(error => reply.send(error))
    }
  }
}

interface McpEndpoint {
  library: McpLibrary
  createServer: ReturnType<typeof createServers>
}

async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  { library, createServer }: McpEndpoint
): Promise<void> {
  const exchange = await checkTokenAtVersion(request, reply)
  const slot = await takeMessageSlot(exchange)
  let own: ExecutedResponse | undefined
  let failure: unknown
  const keepFailure = (error: unknown): never => {
    failure ??= error
    throw error
  }
  const requireRead = () => {
    try {
      requireReadScope(request, reply)
    } catch (error) {
      keepFailure(error)
    }
  }
  const run = async (query: string, variables: Record<string, unknown>): Promise<GraphqlResponse> => {
    own = await executeRequest(exchange, { query, variables }, { slot }).catch(keepFailure)
    own.pendingResponse.subtract(countBodyBytes(own.body))
    return JSON.parse(typeof own.body === 'string' ? own.body : Buffer.concat(own.body).toString())
  }
  try {
    const { envelope, given } = await readMessage(request)
    const { scopes } = getToken(request)
    const server = createServer({ scopes, given, requireRead, run })
    const transport = createTransport(library, exchange)
    await server.connect(transport as never)
    const { status, type, body } = await askSdk(transport, request, envelope)
    await server.close()
    // After a limit, an outage or a missing scope, the response has the same status as at `/graphql`.
    if (failure) throw failure
    const pendingResponse = own?.pendingResponse ?? request.server.productResponseMemory.open(reply.raw)
    pendingResponse.add(body.length)
    sendOwn(reply.code(status), [body], type ? { 'Content-Type': type } : {}, pendingResponse)
  } finally {
    // Does nothing if an operation has released it already.
    slot.release(0)
  }
}

/** Waits until a message may be read. The first call of `release` also counts the cost of the message. */
async function takeMessageSlot(exchange: GraphqlExchange): Promise<QueueSlot> {
  const { reply, settings } = exchange
  const ended = new AbortController()
  const ignoreClient = whenClosed(reply.raw, () => ended.abort(badRequest('the client has gone')))
  const late = () => ended.abort(overloaded('a message waited for too long'))
  const deadline = setTimeout(late, settings.graphqlTimeout * 1000)
  const slot = await takeSlot(exchange, () => ended.signal).finally(() => {
    clearTimeout(deadline)
    ignoreClient()
  })
  let isReleased = false
  const release = (cost: number) => {
    const ofMessage = Math.min(countRequestBytes(exchange), maxEnvelopeLength) * messageCostPerCharacter
    if (!isReleased) slot.release(cost + ofMessage)
    isReleased = true
  }
  return { ...slot, release }
}

/** Reads a message of a size that the SDK can check. Rejects with 400 if it is larger. */
async function readMessage(request: FastifyRequest): Promise<Message> {
  const text = readParameterText(request)
  const tooMuch = findJsonExcess(text, messageBounds)
  if (tooMuch) throw badRequest(`the message has ${tooMuch}`)
  const message = await parseRequestJson(request, text)
  // Each message would be an operation, but the limits expect one operation per request.
  if (Array.isArray(message)) throw badRequest('send one message at a time, not a list')
  const split = splitMessage(message)
  const envelope = JSON.stringify(split.envelope)
  const excess = findJsonExcess(envelope, envelopeLimits)
  if (excess) throw badRequest(`the message has ${excess}`)
  if (envelope.length > maxEnvelopeLength)
    throw badRequest(`the message has more than ${maxEnvelopeLength} characters`)
  return split
}

/** Makes the transport of one message. Its errors are short: the SDK describes each wrong value. */
function createTransport(library: McpLibrary, { type }: GraphqlExchange) {
  const transport = new library.Transport({ enableJsonResponse: type !== 'text/event-stream' })
  const send = transport.send.bind(transport)
  transport.send = (answer, options) => {
    if (!('error' in answer)) return send(answer, options)
    const { code, message } = answer.error
    const error = { code, message: message.slice(0, maxErrorLength).toWellFormed() }
    return send({ ...answer, error }, options)
  }
  return transport
}

/** Passes a message to the SDK, and returns its answer. */
async function askSdk(
  transport: InstanceType<McpLibrary['Transport']>,
  { headers, server }: FastifyRequest,
  message: unknown
) {
  const names = ['content-type', 'mcp-protocol-version']
  const given = names.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  // The SDK insists on both types. `beginExchange` has read the client's own header.
  given.push(['accept', 'application/json, text/event-stream'])
  const url = `${server.productTokens.issuer()}/mcp`
  const asked = new Request(url, { method: 'POST', headers: given as [string, string][] })
  const response = await transport.handleRequest(asked, { parsedBody: message })
  const { status } = response
  const body = Buffer.from(await response.arrayBuffer())
  return { status, type: response.headers.get('content-type'), body }
}

/** MCP requires this check. Otherwise, pages of other sites could use a service on this machine. */
export function checkOrigin(settings: ServiceSettings): onRequestHookHandler {
  const origins = readOrigins(settings)
  return ({ server, headers: { origin } }, _reply, done) => {
    done(isKnownOrigin(origin, origins, server.productTokens.issuer()) ? undefined : foreignOrigin())
  }
}
