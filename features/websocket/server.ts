import { setImmediate, setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL as subprotocol } from 'graphql-ws'
import { WebSocketServer } from 'ws'
import type { ServiceSettings } from '../../options/index.ts'
import { getToken, requireToken } from '../../plugins/authentication/bearer-auth.ts'
import { beforeClose } from '../../plugins/before-close.ts'
import { isKnownOrigin, readOrigins } from '../../plugins/headers.ts'
import { findNetwork } from '../../routes/oauth/request-limits.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { foreignOrigin, overloaded, unavailable } from '../../runtime/errors.ts'
import { Connection } from './connection.ts'
import type { WebSocketMetric } from './index.ts'
import { createProtocol } from './operation.ts'
import { headOf, isUpgrade, takeUpgrades } from './upgrade.ts'

/** Bytes of a message, also before the token is known. Larger requests go over HTTP. */
const maxMessage = 2 ** 17
/** Sockets without a valid token, which have three seconds to send one: of all, and of one address. */
const maxUnauthenticated = 1000
const maxUnauthenticatedOfAddress = 200
/** Milliseconds that clients have to answer the end of their socket; and during a shutdown. */
const closeTimeout = 2000
const shutdownTimeout = 800

/** Accepts WebSockets at `/graphql`. The hooks of the endpoint and of the host run before. */
export const websocket = fp<ServiceSettings>(
  async (app, settings) => {
    const path = `${app.prefix.replace(/\/$/, '')}/graphql`
    const sockets = new Sockets(settings)
    takeUpgrades(app, path)
    app.addHook('onRequest', (request, reply, done) => {
      if (!isUpgrade(request.raw) || request.routeOptions.url !== path) return done()
      sockets.accept(request, reply).catch(done)
    })
    app.productOnScrape<WebSocketMetric>(() => ({ websockets: sockets.size }))
    beforeClose(app, () => sockets.close())
  },
  {
    name: 'product-websocket',
    fastify: '5.x',
    dependencies: ['product-bearer-auth', 'product-metrics', 'product-change-feed']
  }
)

/** The open sockets of a service. */
class Sockets {
  readonly #settings: ServiceSettings
  readonly #origins: Set<string>
  readonly #open = new Set<Connection>()
  /** Sockets without a valid token by their networks. */
  readonly #unauthenticated = new Map<string, number>()
  readonly #protocol = createProtocol()
  readonly #server: WebSocketServer
  #closing = false

  constructor(settings: ServiceSettings) {
    this.#settings = settings
    this.#origins = readOrigins(settings)
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // A few bytes could become as large a message as the limit allows.
      perMessageDeflate: false,
      maxPayload: Math.min(maxMessage, settings.graphqlMaxBodySize),
      // A client that reads nothing could make the answers pile up.
      autoPong: false,
      // Its types do not have it yet.
      ...({ closeTimeout } as object),
      handleProtocols: protocols => protocols.has(subprotocol) && subprotocol
    })
  }

  get size(): number {
    return this.#open.size
  }

  /** Upgrades the connection of a request. Rejects with the error to answer instead. */
  async accept(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.#checkOrigin(request)
    const { server: app, headers } = request
    if (this.#closing) throw unavailable('the service is shutting down')
    let onToken = () => {}
    if (headers.authorization === undefined) onToken = this.#countUnauthenticated(request)
    else {
      await requireToken(app, ['read']).call(app, request, reply)
      app.productChangeStreams.open(getToken(request).jti, request.raw.socket)
    }
    await setImmediate()
    this.#upgrade(request, reply, onToken)
  }

  #upgrade(request: FastifyRequest, reply: FastifyReply, onToken: () => void): void {
    const { raw, server: app } = request
    reply.code(101).hijack()
    reply.raw.detachSocket(raw.socket)
    this.#server.handleUpgrade(raw, raw.socket, headOf(raw), socket => {
      countUpgrade(app)
      // Ends its span: Node.js does not close a response that is not sent.
      reply.raw.emit('close')
      const connection = new Connection(socket, { request, reply, onToken, settings: this.#settings })
      this.#open.add(connection)
      socket.once('close', () => this.#open.delete(connection))
      connection.open(this.#protocol)
      if (this.#closing) connection.close(goingAway)
    })
  }

  /**
   * Counts a socket whose token comes in the first message. Returns a function to call when it has a valid one. Throws
   * 503 if too many have none; one address cannot take the places of all others.
   */
  #countUnauthenticated({ ip, raw }: FastifyRequest): () => void {
    const counts = this.#unauthenticated
    // On a Unix domain socket, requests have no address.
    const network = ip ? findNetwork(ip) : ''
    const ofAddress = counts.get(network) ?? 0
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
    if (all >= maxUnauthenticated || ofAddress >= maxUnauthenticatedOfAddress)
      throw overloaded('too many sockets without a token', 'streams_limit')
    counts.set(network, ofAddress + 1)
    let isCounted = true
    const subtract = () => {
      if (!isCounted) return
      isCounted = false
      const left = (counts.get(network) ?? 0) - 1
      if (left > 0) counts.set(network, left)
      else counts.delete(network)
    }
    raw.socket.once('close', subtract)
    return subtract
  }

  /** Browsers let any page open a WebSocket, and send the cookies of a host along. */
  #checkOrigin({ server, headers: { origin } }: FastifyRequest): void {
    if (!isKnownOrigin(origin, this.#origins, server.productTokens.issuer())) throw foreignOrigin()
  }

  /** Ends all sockets. Destroys those whose client does not answer in time. */
  async close(): Promise<void> {
    this.#closing = true
    const open = [...this.#open]
    for (const connection of open) connection.close(goingAway)
    const late = setTimeout(shutdownTimeout, undefined, { ref: false })
    await Promise.race([Promise.all(open.map(({ whenClosed }) => whenClosed)), late])
    for (const connection of open) connection.terminate()
  }
}

/** RFC 6455 §7.4.1. Clients connect again. */
const goingAway = { code: 1001, reason: 'the service is shutting down' }

/** Fastify does not count it, because no response is sent. */
const countUpgrade = ({ productMetrics: metrics }: FastifyInstance) =>
  metrics.counter('http_requests_total').inc({ route: '/graphql', method: 'GET', status: 101 })

export const server: ServerAddition = { plugin: websocket }
