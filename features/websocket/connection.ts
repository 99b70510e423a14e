import type { FastifyReply, FastifyRequest } from 'fastify'
import { CloseCode } from 'graphql-ws'
import type { WebSocket } from 'ws'
import type { ServiceSettings } from '../../options/index.ts'
import { getToken, requireToken } from '../../plugins/authentication/bearer-auth.ts'
import { reportError } from '../../plugins/error-handler.ts'
import { watchToken } from '../../routes/changes/stream.ts'
import { jsonBounds } from '../../routes/graphql/request.ts'
import { findJsonExcess } from '../../runtime/json-values.ts'
import type { WebSocketMetric } from './index.ts'
import { derive, type Protocol } from './operation.ts'
import { Outbox } from './outbox.ts'

/** Bytes of the reason of an end, which may quote an `id`: a control frame has at most 125, RFC 6455 §5.5. */
const maxReason = 120
/** RFC 6455 §7.4.1 and its registry. Clients connect again. */
const tryAgainLater = 1013
const internalError = 1011
/** Codes that have a series of their own in the metrics. A client may choose any other. */
const countedCodes = new Set<unknown>([
  ...Object.values(CloseCode),
  ...[1000, 1001, 1005, 1006, 1009, internalError, tryAgainLater]
])
/** Bytes that may wait while pings are answered. */
const maxBeforePong = 2 ** 14

/** Why a socket ends. */
interface End {
  code: number
  reason: string
}

interface Opened {
  /** The request of the upgrade. */
  request: FastifyRequest
  reply: FastifyReply
  /** Called when the client has sent a valid token in its first message. */
  onToken(): void
  settings: ServiceSettings
}

/** A WebSocket: its token, its pings and its end. */
export class Connection {
  readonly reply: FastifyReply
  readonly settings: ServiceSettings
  /** The request of the upgrade, with the token of the first message. */
  caller: FastifyRequest
  /** Operations until now. */
  operations = 0
  readonly whenClosed: Promise<unknown>
  readonly #socket: WebSocket
  readonly #outbox: Outbox
  readonly #closed = new AbortController()
  readonly #begun = performance.now()
  readonly #onToken: () => void

  constructor(socket: WebSocket, { request, reply, onToken, settings }: Opened) {
    this.#socket = socket
    this.#outbox = new Outbox(socket, settings.graphqlStallTimeout)
    this.caller = request
    this.reply = reply
    this.settings = settings
    this.#onToken = onToken
    this.whenClosed = new Promise(resolve => socket.once('close', resolve))
  }

  /** Passes the messages to the protocol until the socket closes. */
  open(protocol: Protocol): void {
    const socket = this.#socket
    const { log } = this.caller
    const ended = protocol.opened(
      {
        protocol: socket.protocol,
        send: text => this.#outbox.send([Buffer.from(text)]),
        close: (code, reason) => this.close({ code: code as number, reason: reason as string }),
        onMessage: read =>
          socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary, read))
      },
      { connection: this }
    )
    // Ends the operations, also before the client answers.
    this.#closed.signal.addEventListener('abort', () => void ended())
    socket.on('ping', data => {
      if (socket.bufferedAmount < maxBeforePong) socket.pong(data)
    })
    // `close` follows.
    socket.on('error', error => log.info({ reason: error.message }, 'WebSocket failed'))
    socket.once('close', code => {
      this.#closed.abort()
      this.#report(code)
    })
  }

  #receive(text: string, isBinary: boolean, read: (text: string) => Promise<void>): void {
    // A socket that is being closed still receives.
    if (this.#closed.signal.aborted) return
    const excess = isBinary ? 'bytes' : findJsonExcess(text, jsonBounds)
    if (excess) return void this.close({ code: CloseCode.BadRequest, reason: `a message has ${excess}` })
    // Rejects if the message is of a type that only the server sends.
    read(text).catch((error: Error) => {
      this.caller.log.info({ reason: error.message }, 'WebSocket message refused')
      this.close(invalidMessage)
    })
  }

  /** Logs and counts a socket that has closed. */
  #report(code: number): void {
    const { log, productToken: token, server: app } = this.caller
    app.productMetrics
      .counter<WebSocketMetric>('websocket_closes_total')
      .inc({ code: countedCodes.has(code) ? code : 'other' })
    const milliseconds = Math.round(performance.now() - this.#begun)
    const sender = { clientId: token?.client_id, sub: token?.sub, jti: token?.jti }
    log.info({ code, milliseconds, operations: this.operations, ...sender }, 'WebSocket closed')
  }

  /** Authenticates the client by `Authorization` in the first message, or by the request of the upgrade. */
  async authenticate(parameters: Record<string, unknown> | undefined): Promise<boolean> {
    const { server: app, productToken: known } = this.caller
    try {
      const authorization = parameters?.Authorization ?? parameters?.authorization
      if (authorization !== undefined) this.caller = addAuthorization(this.caller, String(authorization))
      await requireToken(app, ['read']).call(app, this.caller, this.reply)
      this.#onToken()
      if (!known) app.productChangeStreams.open(getToken(this.caller).jti, this.caller.raw.socket)
      void this.#watch()
      return true
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  /** Ends the socket when its token ends, or when its client answers no ping. */
  async #watch(): Promise<void> {
    const { caller, settings } = this
    const { productChangeFeed: feed } = caller.server
    const { signal } = this.#closed
    const token = watchToken(caller, settings.changesHeartbeat)
    const leave = feed.open()
    const socket = this.#socket
    const longestSilence = 1000 * (settings.changesHeartbeat + settings.graphqlStallTimeout)
    let heard = performance.now()
    socket.on('pong', () => {
      heard = performance.now()
    })
    try {
      while (!signal.aborted) {
        const { version } = feed
        const isBeatDue = token.timeToHeartbeat() === 0
        if (!(await token.isValid(version))) return this.close(tokenEnded)
        // Nothing is read from a client that has to read first.
        if (socket.isPaused) heard = performance.now()
        if (performance.now() - heard > longestSilence) return this.terminate()
        if (isBeatDue) socket.ping()
        await feed.wait({ position: Number.POSITIVE_INFINITY, version }, token.timeToHeartbeat(), signal)
      }
    } catch (error) {
      this.fail(error)
    } finally {
      leave()
    }
  }

  /** Sends a message. Resolves when the connection has taken it. */
  send(parts: Uint8Array[]): Promise<void> {
    return this.#outbox.send(parts)
  }

  /** Ends the socket because of an error. Clients log in again after 4403, and wait after 1013. */
  fail(error: unknown): void {
    const [{ statusCode, message }] = reportError(this.caller, error, 'WebSocket')
    const isBusy = statusCode === 429 || statusCode === 503
    const end = isBusy ? tryAgainLater : statusCode === 500 ? internalError : CloseCode.Forbidden
    this.close({ code: end, reason: message })
  }

  /** Ends the socket. Only the first call counts. */
  close({ code, reason }: End): void {
    if (this.#closed.signal.aborted) return
    this.#closed.abort()
    this.#socket.close(code, Buffer.from(reason).subarray(0, maxReason).toString())
  }

  /** Ends the socket if the token is why a stream has ended. */
  endToken(): void {
    this.close(tokenEnded)
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

const tokenEnded: End = { code: CloseCode.Forbidden, reason: 'the access token is not valid any more' }
const invalidMessage: End = { code: CloseCode.BadRequest, reason: 'Invalid message received' }

/** Adds the header that browsers cannot send with the upgrade. A second one makes the request malformed. */
function addAuthorization(request: FastifyRequest, authorization: string): FastifyRequest {
  const { raw, headers } = request
  const added = { ...headers, authorization }
  const rawHeaders = [...raw.rawHeaders, 'Authorization', authorization]
  return derive(request, { headers: added, raw: derive(raw, { headers: added, rawHeaders }) })
}
