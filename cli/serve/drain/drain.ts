import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { constants, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { ProcessSettings } from '../../../options/index.ts'
import { Http1Connection } from './http1-connection.ts'

/** Milliseconds between two checks of the connections. */
const checkIntervalMs = 20
/**
 * Clients have this number of checks, at least a second, to complete their requests and to close idle connections. The
 * time in which the whole machine stands still is not counted: clients cannot use it. Checks of a busy service take
 * longer, so there is a limit in milliseconds, too.
 */
const arrivalChecks = 50
const maxArrivalMs = 4000
/** A turn of the event loop that is shorter than these milliseconds has read all data that had arrived. */
const quickTurnMs = 5
/** The same for new connections; and the milliseconds to wait for such a turn. */
const quickAcceptMs = 1
const maxAcceptMs = 250

/** Returns the maximum milliseconds from the signal to the exit. */
export const computeShutdownMs = (settings: ProcessSettings): number =>
  (settings.shutdownDelay + settings.shutdownTimeout) * 1000

/**
 * Ends the connections of a process without losing requests. First the service is no longer ready, then the
 * connections end. Every request that arrives before its connection announces the end gets a response.
 * `server.close()` cannot do that: it destroys idle connections even if they have a request that Node has not read,
 * and waits for clients that never complete a request.
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

  /** Watches the connections of a server. Call it before the server listens. */
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

  /** Records that the response to a request is complete. */
  endResponse({ socket }: IncomingMessage): void {
    this.#http1.get(socket)?.endResponse()
  }

  /** Announces the end, waits `delay` seconds, stops listening, and resolves when all connections have ended. */
  async run(delay: number): Promise<void> {
    this.#announced.abort()
    if (delay > 0) await sleep(delay * 1000)
    this.#closing.abort()
    for (const connection of this.#http1.values()) connection.announceEnd()
    for (const session of this.#sessions) session.close()
    await this.#acceptWaiting()
    // The `close` of HTTP servers would destroy idle connections.
    for (const server of this.#servers) NetServer.prototype.close.call(server)
    await this.#endConnections()
  }

  /**
   * Waits until no new connection comes for a moment. Closing the server would reset connections that the system has
   * accepted and Node has not.
   */
  async #acceptWaiting(): Promise<void> {
    const deadline = performance.now() + maxAcceptMs
    // From here on, each turn begins by reading the data that has arrived.
    await nextTurn()
    let before: number
    do before = this.#accepted
    while (
      ((await measureTurn()) >= quickAcceptMs || this.#accepted > before) &&
      performance.now() < deadline
    )
  }

  async #endConnections(): Promise<void> {
    const begun = performance.now()
    for (let checks = 1; this.#sockets.size > 0; checks++) {
      await sleep(checkIntervalMs)
      await nextTurn()
      const isQuick = (await measureTurn()) < quickTurnMs
      const isLate = checks > arrivalChecks || performance.now() - begun > maxArrivalMs
      // After a long turn, Node may not have read all requests that have arrived.
      if (isQuick || isLate) for (const connection of this.#http1.values()) connection.endIfIdle(isLate)
      if (isLate) this.#endLate()
    }
  }

  /** Ends the connections that had enough time to end by themselves. */
  #endLate(): void {
    for (const session of this.#sessions) session.close()
    for (const { req, stream } of this.#streams)
      if (!req.complete) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    // A stream that was just refused counts, too: the refusal must reach the client.
    const isServing =
      this.#streams.size > 0 || [...this.#http1.values()].some(connection => connection.isServing)
    if (!isServing) for (const socket of this.#sockets) socket.destroy()
  }
}

/** Lets the event loop take a turn, in which Node reads what has arrived. Returns the milliseconds of the turn. */
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
