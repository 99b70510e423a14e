/**
 * The protocol of a socket, which the library graphql-ws reads and answers, and its operations. They run like requests
 * of `POST /graphql`, with the same limits.
 */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { GraphQLError, type GraphQLSchema, parse } from 'graphql'
import { type Context, makeServer, type Server, type SubscribePayload } from 'graphql-ws'
import type { SubscriptionStart } from '../../graphql/operation/operation.ts'
import { type Body, toBuffers } from '../../graphql/result.ts'
import { reportError, toPublicError } from '../../plugins/error-handler.ts'
import { executeRequest } from '../../routes/graphql/execute-request.ts'
import { formatGraphqlError } from '../../routes/graphql/index.ts'
import {
  attachExchange,
  checkTokenAtVersion,
  type GraphqlExchange,
  readParameters
} from '../../routes/graphql/request.ts'
import { openSubscription } from '../../routes/graphql/subscription.ts'
import type { Connection } from './connection.ts'

/** Milliseconds that a client has to send `connection_init`. */
const connectionInitWaitTimeout = 3000
/** Operations that a socket may have at the same time. Subscriptions also count as streams of their token. */
const maxOperations = 100

interface Extra {
  connection: Connection
}

export type Protocol = Server<Extra>

/** The library chooses by the type of an operation how to run it. Here, all run in the same way. */
const anyOperation = { document: parse('subscription { any }'), schema: null as unknown as GraphQLSchema }

/** Creates the protocol for all sockets of a service. */
export const createProtocol = (): Protocol =>
  makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout,
    onConnect: ({ extra, connectionParams }) => extra.connection.authenticate(connectionParams),
    onSubscribe(context, id, payload) {
      if (Object.keys(context.subscriptions).length > maxOperations)
        return [
          new GraphQLError(`a socket has at most ${maxOperations} operations at the same time`, {
            extensions: { code: 'TEMPORARILY_UNAVAILABLE' }
          })
        ]
      return { ...anyOperation, contextValue: toOperation(context, id, payload) }
    },
    subscribe: ({ contextValue }) => contextValue as AsyncGenerator<never>
  })

/** What an operation runs with. */
interface Running {
  connection: Connection
  id: string
  exchange: GraphqlExchange
  /** Stands for the response of a request: it is destroyed when the client completes the operation. */
  rawResponse: Readable
}

/**
 * Returns an operation in the form in which graphql-ws runs it. It yields nothing: it sends the results itself, because
 * they are JSON already and go at the speed at which the client reads.
 */
function toOperation(
  { extra: { connection }, subscriptions }: Context<Record<string, unknown>, Extra>,
  id: string,
  payload: SubscribePayload
): AsyncGenerator<never> {
  const rawResponse = new Readable({ read() {} })
  const exchange = makeExchange(connection, payload, rawResponse)
  const running = { connection, id, exchange, rawResponse }
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    rawResponse.destroy()
    return { done: true, value: undefined }
  }
  const generator = {
    async next() {
      connection.operations++
      await run(running).catch(error => {
        // After an error, the library must not send `complete`.
        if (subscriptions[id] === generator) delete subscriptions[id]
        return fail(running, error)
      })
      log(exchange)
      return end()
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => generator
  }
  return generator as unknown as AsyncGenerator<never>
}

/** Makes a request that looks like one of `POST /graphql` which accepts events. */
function makeExchange(
  connection: Connection,
  payload: SubscribePayload,
  rawResponse: Readable
): GraphqlExchange {
  const { caller, settings } = connection
  // The protocol requires a text, so clients send an empty one besides the identifier of a document.
  const body = Buffer.from(JSON.stringify({ ...payload, query: payload.query || undefined }))
  // These are of one operation only.
  const { 'idempotency-key': _key, 'last-event-id': _position, ...common } = caller.headers
  const headers = { ...common, accept: 'text/event-stream', 'content-length': String(body.length) }
  const request = derive(caller, { method: 'POST', headers, body })
  const reply = derive(connection.reply, { request, raw: rawResponse })
  return attachExchange({ request, reply, settings, type: 'text/event-stream' })
}

async function run(running: Running): Promise<void> {
  const { connection, id, exchange, rawResponse } = running
  const { request, reply } = exchange
  await checkTokenAtVersion(request, reply)
  const own = await executeRequest(exchange, await readParameters(request))
  if (own.subscription) return follow(running, own.subscription)
  if (rawResponse.destroyed) return
  if (own.hasData) return sendNext(connection, id, own.body)
  throw new RefusedOperation(own.body)
}

/** The document or its variables are wrong, so the operation has not begun. The body has the errors. */
class RefusedOperation extends Error {
  readonly body: Body

  constructor(body: Body) {
    super('the operation was refused')
    this.body = body
  }
}

/** Sends the result of a subscription for each change, until the client completes it or the token ends. */
async function follow(
  { connection, id, exchange, rawResponse }: Running,
  start: SubscriptionStart
): Promise<void> {
  const text = openSubscription(exchange, start, async function* (body) {
    if (!rawResponse.destroyed) await sendNext(connection, id, body)
    yield ': sent\n\n'
  })
  // What would be comments of Server-Sent Events is dropped.
  await finished(text.resume())
  if (!rawResponse.destroyed) connection.endToken()
}

const sendNext = (connection: Connection, id: string, body: Body): Promise<void> =>
  connection.send([
    Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`),
    ...toBuffers(body),
    Buffer.from('}')
  ])

/** Sends why an operation has no result. */
async function fail({ connection, id, exchange, rawResponse }: Running, error: unknown): Promise<void> {
  if (rawResponse.destroyed) return
  // Without a valid token, the whole socket ends.
  if (toPublicError(error).statusCode === 401) return connection.fail(error)
  const payload =
    error instanceof RefusedOperation
      ? JSON.parse(Buffer.concat(toBuffers(error.body)).toString()).errors
      : formatGraphqlError(...reportError(exchange.request, error, 'WebSocket operation')).errors
  await connection.send([Buffer.from(JSON.stringify({ id, type: 'error', payload }))])
}

/** Logs an operation that has ended, with the cost of its latest result. */
function log({ request, namedOperation, cost }: GraphqlExchange): void {
  const { client_id: clientId, sub, jti } = request.productToken ?? {}
  const name = namedOperation?.name?.slice(0, maxNameLength)
  request.log.info({ operation: name, cost, clientId, sub, jti }, 'WebSocket operation completed')
}

/** Maximum characters of an operation's name in the log. */
const maxNameLength = 100

/** Returns an object that is like another one except for some properties. */
export const derive = <Base extends object>(
  base: Base,
  properties: { [Name in keyof Base]?: unknown }
): Base => Object.create(base, Object.getOwnPropertyDescriptors(properties))
