import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Connections } from './drain/connections.ts'

/** Milliseconds a client may take to send a request, and between two looks at the connections. */
const requestTimeout = 30_000
const connectionsCheckingInterval = 1000
/** Milliseconds that a connection may be idle, as in Fastify: longer than the proxies in front of us keep it. */
const keepAliveTimeout = 72_000

/** Creates an HTTP server whose connections can be drained. */
export function createHttpServer(handler: RequestListener, connections: Connections): Server {
  return watched(connections, connections.wrap(handler))
}

/** Also listens on other hosts, as far as that is possible, and returns their addresses. The first server responds. */
export async function listenAlso(
  server: Server,
  hosts: string[],
  connections: Connections
): Promise<string[]> {
  const { port } = server.address() as AddressInfo
  const addresses: string[] = []
  for (const host of hosts) {
    const other = watched(connections, (request, response) => server.emit('request', request, response))
    other.on('clientError', (error, socket) => server.emit('clientError', error, socket))
    other.listen({ host, port })
    const listening = once(other, 'listening').then(
      () => `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
    )
    addresses.push(
      ...(await listening.then(
        address => [address],
        () => []
      ))
    )
  }
  return addresses
}

function watched(connections: Connections, handler: RequestListener): Server {
  // Node's own: a minute for the headers, and a look at the connections every 30 s.
  const timeouts = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval }
  const server = createServer({ ...timeouts, keepAliveTimeout }, handler)
  connections.watch(server, false)
  return server
}
