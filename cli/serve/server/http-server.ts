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
import { createServer } from '../../node-http.ts'
import type { Connections } from '../drain/connections.ts'
import type { TlsFiles } from './tls.ts'

/** Milliseconds a client may take to send a request, and between two looks at the connections. */
const requestTimeout = 30_000
const connectionsCheckingInterval = 1000
/** Milliseconds that a connection may be idle, as in Fastify: longer than the proxies in front of us keep it. */
const keepAliveTimeout = 72_000
/** Requests of an HTTP/2 connection at the same time; RFC 9113 §6.5.2 recommends no fewer. */
const maxConcurrentStreams = 100

// Node's own: a minute for the headers, and a look at the connections every 30 s.
const timeouts = {
  requestTimeout,
  headersTimeout: requestTimeout,
  connectionsCheckingInterval,
  keepAliveTimeout
}

/** The servers of a process: one, or one for each address of `localhost`. With TLS, they also speak HTTP/2. */
export class HttpServers {
  readonly #connections: Connections
  readonly #tls: TlsFiles | undefined
  readonly #secure: Http2SecureServer[] = []

  constructor(connections: Connections, tls?: TlsFiles) {
    this.#connections = connections
    this.#tls = tls
  }

  get scheme(): 'http' | 'https' {
    return this.#tls ? 'https' : 'http'
  }

  /** Creates a server whose connections can be drained. */
  create(handler: RequestListener): Server {
    return this.#create(this.#connections.wrap(handler))
  }

  /** Also listens on other hosts, as far as that is possible, and returns their addresses. The first server responds. */
  async listenAlso(server: Server, hosts: string[]): Promise<string[]> {
    const { port } = server.address() as AddressInfo
    const addresses: string[] = []
    for (const host of hosts) {
      const other = this.#create((request, response) => server.emit('request', request, response))
      other.on('clientError', (error, socket) => server.emit('clientError', error, socket))
      other.listen({ host, port })
      const isListening = await once(other, 'listening').catch(() => undefined)
      if (isListening) addresses.push(`${this.scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`)
    }
    return addresses
  }

  /** Uses other files for new connections. */
  setTls(files: TlsFiles): void {
    for (const server of this.#secure) server.setSecureContext(files)
  }

  #create(handler: RequestListener): Server {
    const server = this.#tls ? this.#createSecure(this.#tls, handler) : createServer(timeouts, handler)
    this.#connections.watch(server, this.#tls !== undefined)
    return server
  }

  #createSecure(tls: TlsFiles, handler: RequestListener): Server {
    const settings = { maxConcurrentStreams }
    const server = createSecureServer({ ...timeouts, ...tls, allowHTTP1: true, settings })
    server.on('request', handler as never)
    server.on('session', endIdleSession)
    server.on('stream', endLateRequest)
    this.#secure.push(server)
    // Fastify and the drain use what both have in common.
    return server as unknown as Server
  }
}

function endIdleSession(session: ServerHttp2Session): void {
  session.setTimeout(keepAliveTimeout, () => session.close())
}

/** Node's `requestTimeout` is for HTTP/1. */
function endLateRequest(stream: ServerHttp2Stream, _headers: unknown, flags: number): void {
  if (flags & constants.NGHTTP2_FLAG_END_STREAM) return
  const end = () => stream.close(constants.NGHTTP2_REFUSED_STREAM)
  const timer = setTimeout(end, requestTimeout).unref()
  for (const event of ['end', 'close']) stream.once(event, () => clearTimeout(timer))
}
