import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream
} from 'node:http2'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Drain } from './drain/drain.ts'
import { createServer } from './node-http.ts'
import type { TlsFiles } from './tls.ts'

/** Milliseconds a client may take to send a request. */
const requestTimeout = 30_000
/** Milliseconds that a connection may be idle, as in Fastify: longer than most proxies keep a connection. */
const keepAliveTimeout = 72_000
// Node's defaults would be a minute for the headers, and a check of the connections every 30 s.
const timeouts = {
  requestTimeout,
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout
}
/** Concurrent requests of an HTTP/2 connection; RFC 9113 §6.5.2 recommends at least 100. */
const maxConcurrentStreams = 100

/** The servers of a process: one, or one for each address of `localhost`. With TLS, they also speak HTTP/2. */
export class HttpServers {
  readonly #drain: Drain
  readonly #tls: TlsFiles | undefined
  readonly #secure: Http2SecureServer[] = []

  constructor(drain: Drain, tls?: TlsFiles) {
    this.#drain = drain
    this.#tls = tls
  }

  /** Creates a server whose connections can be drained. */
  create(handler: RequestListener): Server {
    return this.#create(this.#drain.wrap(handler))
  }

  /** Also listens on other hosts, if possible, and returns their addresses. The given server handles all requests. */
  async listenAlso(server: Server, hosts: string[], reusePort: boolean): Promise<string[]> {
    const { port } = server.address() as AddressInfo
    const addresses: string[] = []
    for (const host of hosts) {
      const other = this.#create((request, response) => server.emit('request', request, response))
      other.on('clientError', (error, socket) => server.emit('clientError', error, socket))
      if (server.listenerCount('upgrade') > 0) passUpgrades(other, server)
      other.listen({ host, port, reusePort })
      const isListening = await once(other, 'listening').catch(() => undefined)
      const scheme = this.#tls ? 'https' : 'http'
      if (isListening) addresses.push(`${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`)
    }
    return addresses
  }

  /** Replaces the TLS files for new connections. */
  setTls(files: TlsFiles): void {
    for (const server of this.#secure) server.setSecureContext(files)
  }

  #create(handler: RequestListener): Server {
    const server = this.#tls ? this.#createSecure(this.#tls, handler) : createServer(timeouts, handler)
    this.#drain.watch(server, this.#tls !== undefined)
    return server
  }

  #createSecure(tls: TlsFiles, handler: RequestListener): Server {
    const settings = { maxConcurrentStreams }
    const server = createSecureServer({ ...timeouts, ...tls, allowHTTP1: true, settings })
    server.on('request', handler as never)
    server.on('session', (session: ServerHttp2Session) =>
      session.setTimeout(keepAliveTimeout, () => session.close())
    )
    server.on('stream', endLateRequest)
    this.#secure.push(server)
    // Fastify and the drain use only what HTTP/1 and HTTP/2 servers have in common.
    return server as unknown as Server
  }
}

/** Passes the requests for a WebSocket to the given server, which decides which ones it takes. */
function passUpgrades(from: Server, to: Server): void {
  const isTaken = Reflect.get(to, 'shouldUpgradeCallback')
  Object.assign(from, { shouldUpgradeCallback: isTaken })
  from.on('upgrade', (...request) => to.emit('upgrade', ...request))
}

/** Refuses an HTTP/2 request that takes too long to arrive. Node's `requestTimeout` is only for HTTP/1. */
function endLateRequest(stream: ServerHttp2Stream, _headers: unknown, flags: number): void {
  if (flags & constants.NGHTTP2_FLAG_END_STREAM) return
  const end = () => stream.close(constants.NGHTTP2_REFUSED_STREAM)
  const timer = setTimeout(end, requestTimeout).unref()
  for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
}
