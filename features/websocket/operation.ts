/** An operation of a socket. It runs like a request of `POST /graphql`, with the same limits. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Context, SubscribePayload } from 'graphql-ws'
import type { SubscriptionStart } from '../../graphql/operation/input.ts'
import { type Body, toBuffers } from '../../graphql/result.ts'
import { reportError, toPublicError } from '../../plugins/public-error.ts'
import { formatGraphqlError } from '../../routes/graphql/index.ts'
import { checkTokenAtVersion, type GraphqlHttpRequest, readParameters } from '../../routes/graphql/request.ts'
import { sendSubscription } from '../../routes/graphql/respond.ts'
import { runRequest } from '../../routes/graphql/run.ts'
import type { Connection } from './connection.ts'
import { derive } from './derive.ts'
import type { Extra } from './protocol.ts'

/** What an operation runs with. */
interface Running {
  connection: Connection
  id: string
  httpRequest: GraphqlHttpRequest
  /** Stands for the response of a request: it is destroyed when the client completes the operation. */
  rawResponse: Readable
}

/**
 * Returns an operation in the form in which graphql-ws runs it. It yields nothing: it sends the results itself, because
 * they are JSON already and go at the speed at which the client reads.
 */
export function toOperation(
  { extra: { connection }, subscriptions }: Context<Record<string, unknown>, Extra>,
  id: string,
  payload: SubscribePayload
): AsyncGenerator<never> {
  const rawResponse = new Readable({ read() {} })
  const httpRequest = makeHttpRequest(connection, payload, rawResponse)
  const running = { connection, id, httpRequest, rawResponse }
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
      log(httpRequest)
      return end()
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => generator
  }
  return generator as unknown as AsyncGenerator<never>
}

/** Makes a request that looks like one of `POST /graphql` which accepts events. */
function makeHttpRequest(
  connection: Connection,
  payload: SubscribePayload,
  rawResponse: Readable
): GraphqlHttpRequest {
  const { caller, settings } = connection
  // The protocol requires a text, so clients send an empty one besides the identifier of a document.
  const body = Buffer.from(JSON.stringify({ ...payload, query: payload.query || undefined }))
  // These are of one operation only.
  const { 'idempotency-key': _key, 'last-event-id': _position, ...common } = caller.headers
  const headers = { ...common, accept: 'text/event-stream', 'content-length': String(body.length) }
  const request = derive(caller, { method: 'POST', headers, body })
  // Returns the stream of a subscription instead of sending it.
  const reply = derive(connection.reply, {
    raw: rawResponse,
    headers: () => ({ send: (stream: Readable) => stream })
  })
  const httpRequest: GraphqlHttpRequest = {
    request,
    reply,
    settings,
    type: 'text/event-stream',
    version: '',
    isCached: false
  }
  request.productGraphql = httpRequest
  return httpRequest
}

async function run(running: Running): Promise<void> {
  const { connection, id, httpRequest, rawResponse } = running
  const { request, reply } = httpRequest
  await checkTokenAtVersion(request, reply)
  const own = await runRequest(httpRequest, await readParameters(request))
  if (own.subscription) return follow(running, own.subscription)
  if (rawResponse.destroyed) return
  if ('data' in own.result) return sendNext(connection, id, own.body)
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
  { connection, id, httpRequest, rawResponse }: Running,
  start: SubscriptionStart
): Promise<void> {
  const events = sendSubscription(httpRequest, start, async function* (body) {
    if (!rawResponse.destroyed) await sendNext(connection, id, body)
    yield ': sent\n\n'
  })
  // What would be comments of Server-Sent Events is dropped.
  await finished((events as unknown as Readable).resume())
  if (!rawResponse.destroyed) connection.endToken()
}

const sendNext = (connection: Connection, id: string, body: Body): Promise<void> =>
  connection.send([
    Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`),
    ...toBuffers(body),
    Buffer.from('}')
  ])

/** Sends why an operation has no result. */
async function fail({ connection, id, httpRequest, rawResponse }: Running, error: unknown): Promise<void> {
  if (rawResponse.destroyed) return
  // Without a valid token, the whole socket ends.
  if (toPublicError(error).statusCode === 401) return connection.fail(error)
  const payload =
    error instanceof RefusedOperation
      ? JSON.parse(Buffer.concat(toBuffers(error.body)).toString()).errors
      : formatGraphqlError(...reportError(httpRequest.request, error, 'WebSocket operation')).errors
  await connection.send([Buffer.from(JSON.stringify({ id, type: 'error', payload }))])
}

/** Logs an operation that has ended, with the cost of its latest result. */
function log({ request, operation, cost }: GraphqlHttpRequest): void {
  const { client_id: clientId, sub, jti } = request.productToken ?? {}
  const name = operation?.name?.slice(0, maxNameLength)
  request.log.info({ operation: name, cost, clientId, sub, jti }, 'WebSocket operation completed')
}

/** Maximum characters of an operation's name in the log. */
const maxNameLength = 100
