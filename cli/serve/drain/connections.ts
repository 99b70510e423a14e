import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { constants, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { Http1Connection } from './http1-connection.ts'

/** Milliseconds between two looks at the connections. */
const lookInterval = 20
/** Milliseconds in which requests have to arrive completely, and clients to close idle connections. */
const lastArrival = 1000
/** Milliseconds of a turn of the event loop after which what was read is no longer all that has arrived. */
const quickTurn = 5
/** The same for connections, and milliseconds to wait for such a turn. */
const quickAccept = 1
const lastAccept = 250

/**
 * The connections of the servers of a process, and how they end: no request that arrived before its connection was told
 * to close stays without a response. `server.close()` destroys idle connections, also those with a request that Node has
 * not read yet, and waits for clients that do not send the rest of theirs.
 */
export class Connections {
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  readonly #http1 = new Map<Socket, Http1Connection>()
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #streams = new Set<Http2ServerResponse>()
  #accepted = 0
  #closing = false
  #allClosed = () => {}

  /** Counts the connections of a server, before it listens. */
  watch(server: Server, isSecure: boolean): void {
    this.#servers.push(server)
    server.on('connection', socket => {
      this.#accepted++
      this.#sockets.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        if (this.#sockets.size === 0) this.#allClosed()
      })
    })
    server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
      if ((socket as TLSSocket).alpnProtocol === 'h2') return
      this.#http1.set(socket, new Http1Connection(socket, server))
      socket.once('close', () => this.#http1.delete(socket))
    })
    server.on('session', (session: ServerHttp2Session) => {
      this.#sessions.add(session)
      session.once('close', () => this.#sessions.delete(session))
    })
  }

  /** Wraps the handler of all requests. */
  wrap(handler: RequestListener): RequestListener {
    return (request, response) => {
      const connection = this.#http1.get(request.socket)
      if (request.httpVersionMajor === 2) this.#addStream(response as unknown as Http2ServerResponse)
      else if (!this.#closing) connection?.begin(response)
      else if (connection?.beginLast(response) === false) return
      handler(request, response)
    }
  }

  /** A response is complete. */
  rest({ socket }: IncomingMessage): void {
    this.#http1.get(socket)?.rest()
  }

  /** Stops listening, and resolves when all connections have ended. */
  async close(): Promise<void> {
    this.#closing = true
    for (const connection of this.#http1.values()) connection.announceEnd()
    for (const session of this.#sessions) session.close()
    await this.#acceptWaiting()
    // Not the method of HTTP servers, which destroys idle connections.
    for (const server of this.#servers) NetServer.prototype.close.call(server)
    await this.#endAll()
  }

  /** The system resets connections that it has accepted but Node has not: waits for a moment without any. */
  async #acceptWaiting(): Promise<void> {
    const deadline = performance.now() + lastAccept
    // From here on, each turn begins with what has arrived.
    await nextTurn()
    for (let begun = performance.now(); begun < deadline; ) {
      const accepted = this.#accepted
      await nextTurn()
      const ended = performance.now()
      if (accepted === this.#accepted && ended - begun < quickAccept) return
      begun = ended
    }
  }

  #endAll(): Promise<void> {
    const begun = performance.now()
    const look = () => {
      const turned = performance.now()
      // After the next turn, in which Node reads what has arrived.
      setImmediate(() => {
        const now = performance.now()
        this.#look({ isFresh: now - turned < quickTurn, isLate: now - begun > lastArrival })
      })
    }
    return new Promise(resolve => {
      const timer = setInterval(() => setImmediate(look), lookInterval)
      this.#allClosed = () => {
        clearInterval(timer)
        resolve()
      }
      if (this.#sockets.size === 0) this.#allClosed()
    })
  }

  #look(look: { isFresh: boolean; isLate: boolean }): void {
    for (const connection of this.#http1.values()) connection.look(look)
    if (!look.isLate) return
    for (const session of this.#sessions) session.close()
    for (const response of this.#streams)
      if (!response.req.complete) response.stream.close(constants.NGHTTP2_REFUSED_STREAM)
    if (!this.#isServing) for (const socket of this.#sockets) socket.destroy()
  }

  get #isServing(): boolean {
    if ([...this.#streams].some(({ req }) => req.complete)) return true
    return [...this.#http1.values()].some(({ isServing }) => isServing)
  }

  #addStream(response: Http2ServerResponse): void {
    this.#streams.add(response)
    response.once('close', () => this.#streams.delete(response))
  }
}
