import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { constants, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { ProcessSettings } from '../../../options.ts'
import { Http1Connection } from './http1-connection.ts'

/** Milliseconds between two checks of the connections. */
const checkInterval = 20
/** Milliseconds in which requests have to arrive completely, and clients to close idle connections. */
const lastArrival = 1000
/** A turn of the event loop of at most these milliseconds has read everything that has arrived. */
const quickTurn = 5
/** The same for new connections, and milliseconds to wait for such a turn. */
const quickAccept = 1
const lastAccept = 250

/** Milliseconds from the signal to the end, at most. */
export const shutdownMilliseconds = (settings: ProcessSettings): number =>
  (settings.shutdownDelay + settings.shutdownTimeout) * 1000

/**
 * The end of a process: first it is not ready any more, then its connections end. No request that arrived before its
 * connection was told to close stays without a response. `server.close()` destroys idle connections, also those with a
 * request that Node has not read yet, and waits for clients that do not send the rest of theirs.
 */
export class Drain {
  readonly #announced = new AbortController()
  readonly #closing = new AbortController()
  readonly announced: AbortSignal = this.#announced.signal
  readonly closing: AbortSignal = this.#closing.signal
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #http1 = new Map<Socket, Http1Connection>()
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #streams = new Set<Http2ServerResponse>()
  #accepted = 0

  /** Watches the connections of a server, before it listens. */
  watch(server: Server, isSecure: boolean): void {
    this.#servers.push(server)
    server.on('connection', (socket: Socket) => {
      this.#accepted++
      addUntilClose(this.#sockets, socket)
    })
    server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
      if ((socket as TLSSocket).alpnProtocol === 'h2') return
      this.#http1.set(socket, new Http1Connection(socket, server))
      socket.once('close', () => this.#http1.delete(socket))
    })
    server.on('session', (session: ServerHttp2Session) => addUntilClose(this.#sessions, session))
  }

  /** Wraps the handler of all requests. */
  wrap(handler: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#http1.get(request.socket)
      if (request.httpVersionMajor === 2)
        addUntilClose(this.#streams, response as unknown as Http2ServerResponse)
      else if (!this.closing.aborted) connection?.begin(response)
      else if (connection?.beginLast(response) === false) return
      handler(request, response)
    }
  }

  /** Notes that the response to a request is complete. */
  endResponse({ socket }: IncomingMessage): void {
    this.#http1.get(socket)?.endResponse()
  }

  /** Announces the end, waits some seconds, stops listening, and resolves when all connections have ended. */
  async run(delay: number): Promise<void> {
    this.#announced.abort()
    if (delay > 0) await sleep(delay * 1000)
    this.#closing.abort()
    for (const connection of this.#http1.values()) connection.announceEnd()
    for (const session of this.#sessions) session.close()
    await this.#acceptWaiting()
    // Not the method of HTTP servers, which destroys idle connections.
    for (const server of this.#servers) NetServer.prototype.close.call(server)
    await this.#endConnections()
  }

  /** The system resets connections that it has accepted but Node has not: waits for a moment without any. */
  async #acceptWaiting(): Promise<void> {
    const deadline = performance.now() + lastAccept
    // From here on, each turn begins with what has arrived.
    await nextTurn()
    let before: number
    do before = this.#accepted
    while (((await measureTurn()) >= quickAccept || this.#accepted > before) && performance.now() < deadline)
  }

  async #endConnections(): Promise<void> {
    const begun = performance.now()
    while (this.#sockets.size > 0) {
      await sleep(checkInterval)
      await nextTurn()
      const isQuick = (await measureTurn()) < quickTurn
      const isLate = performance.now() - begun > lastArrival
      // After a long turn, requests that have arrived may not have been read yet.
      if (isQuick || isLate) for (const connection of this.#http1.values()) connection.endIfIdle(isLate)
      if (isLate) this.#endLate()
    }
  }

  /** Ends what has had time to end by itself. */
  #endLate(): void {
    for (const session of this.#sessions) session.close()
    for (const { req, stream } of this.#streams)
      if (!req.complete) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    // Also a stream that has just been refused: the client has to hear of it.
    const isServing =
      this.#streams.size > 0 || [...this.#http1.values()].some(connection => connection.isServing)
    if (!isServing) for (const socket of this.#sockets) socket.destroy()
  }
}

/** Lets the event loop take a turn, in which Node reads what has arrived. Returns its milliseconds. */
async function measureTurn(): Promise<number> {
  const begun = performance.now()
  await nextTurn()
  return performance.now() - begun
}

function addUntilClose<T extends { once(event: 'close', listener: () => void): unknown }>(
  all: Set<T>,
  one: T
): void {
  all.add(one)
  one.once('close', () => all.delete(one))
}
