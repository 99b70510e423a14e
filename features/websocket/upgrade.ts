/** Passes requests for a WebSocket to Fastify, so that all hooks run before the connection is upgraded. */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { StartError } from '../../runtime/host-errors.ts'

/** Decides whether a request with the header Upgrade is an `upgrade` or an ordinary request. */
interface Upgradable {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean
}

type Routing = FastifyInstance['routing']

/** The paths that the services in a process take from each server. */
const pathsOfServers = new WeakMap<Server, Map<string, Routing>>()
/** What clients have sent after their requests. */
const heads = new WeakMap<IncomingMessage, Buffer>()

/** Passes the requests for a WebSocket to one path to Fastify. Other upgrades stay with the listeners of the host. */
export function takeUpgrades({ server, routing }: FastifyInstance, path: string): void {
  const paths = pathsOfServers.get(server) ?? listen(server)
  paths.set(path, routing)
}

function listen(server: Server & Upgradable): Map<string, Routing> {
  const { shouldUpgradeCallback: before } = server
  // Without it, ordinary requests of clients that offer HTTP/2 (`Upgrade: h2c`) would end here.
  if (!before)
    throw new StartError(
      'PTS_BAD_OPTION',
      'GRAPHQL_WEBSOCKET needs an HTTP/1.1 server of Node.js 22.21, 24.9 or later'
    )
  const paths = new Map<string, Routing>()
  pathsOfServers.set(server, paths)
  const find = (request: IncomingMessage) =>
    asksForWebsocket(request) ? paths.get((request.url ?? '').split('?', 1)[0] as string) : undefined
  server.shouldUpgradeCallback = request =>
    find(request) !== undefined || (server.listenerCount('upgrade') > 1 && before.call(server, request))
  server.on('upgrade', (request, socket, head) => {
    const routing = find(request)
    if (routing) route(routing, request, { socket, head })
  })
  return paths
}

function route(
  routing: Routing,
  request: IncomingMessage,
  { socket, head }: { socket: Duplex; head: Buffer }
) {
  heads.set(request, head)
  // Nobody else listens until `ws` does.
  socket.on('error', () => socket.destroy())
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  try {
    response.assignSocket(socket as never)
  } catch {
    // A listener of the host, such as that of @fastify/websocket, has passed it to Fastify.
    return
  }
  response.once('finish', () => socket.end())
  routing(request, response)
}

const asksForWebsocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** Whether a request is for a WebSocket, and its connection can become one. */
export const isUpgrade = (request: IncomingMessage & { upgrade?: boolean }): boolean =>
  request.upgrade === true && asksForWebsocket(request)

/** Returns what the client has sent after the request. Call it in a later turn than the hooks. */
export const headOf = (request: IncomingMessage): Buffer => heads.get(request) ?? Buffer.alloc(0)
