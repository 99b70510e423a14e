import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { lstat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { ListeningSettings } from '../../options/index.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { CommandError } from '../../terminal/command.ts'
import type { HttpServers } from './http-server.ts'

/** Whether other machines can reach the address to listen on. Resolves a name first. */
export async function isReachableFromOutside({ host, socketPath }: ListeningSettings): Promise<boolean> {
  if (socketPath !== undefined) return false
  const addresses = await lookup(host, { all: true }).catch(() => [{ address: host }])
  return !addresses.every(
    ({ address }) => ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
  )
}

/**
 * Listens on the configured address or socket, or on all addresses of `localhost`. Throws StartError if the system
 * cannot share ports, CommandError if the address cannot be used.
 */
export async function listen(
  app: FastifyInstance,
  servers: HttpServers,
  settings: ListeningSettings
): Promise<void> {
  const { host, port, reusePort, socketPath } = settings
  await app.ready()
  if (socketPath !== undefined) return listenOnSocket(app, socketPath)
  const [first = host, ...others] = await findAddresses(host)
  // Fastify passes `reusePort` on, but its types do not have it.
  const more = { reusePort }
  await app.listen({ host: first, port, ...more }).catch(reportListenError)
  const addresses = await servers.listenAlso(app.server, others, reusePort)
  for (const address of addresses) app.log.info(`Server listening at ${address}`)
}

/** The mode of a socket: its owner and group may connect. */
const socketMode = 0o660

async function listenOnSocket(app: FastifyInstance, path: string): Promise<void> {
  await clearSocketPath(path)
  // With the mask, the system creates the socket with its mode, so nobody can connect before the mode is set.
  const mask = process.umask(~socketMode & 0o777)
  await app
    .listen({ path })
    .finally(() => process.umask(mask))
    .catch(reportListenError)
}

/** Rethrows a system error as an error that tells the user what to do. */
export function reportListenError(error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOTSUP')
    throw new StartError(
      'PTS_BAD_OPTION',
      'WORKERS and REUSE_PORT need a system that shares ports, such as Linux'
    )
  throw error.code ? new CommandError(`cannot listen: ${error.message}${suggestFix(error)}`) : error
}

/** Says which setting solves an error of the system. */
function suggestFix({ code = '', port }: NodeJS.ErrnoException & { port?: number }): string {
  // The port of a Unix domain socket.
  if (port === -1) return '; set SOCKET_PATH to another path'
  if (code === 'EADDRINUSE') return '; set PORT to another port'
  if (code === 'EACCES') return '; set PORT to 1024 or higher'
  return /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(code) ? '; set HOST to an address of this machine' : ''
}

/**
 * Finds all addresses of `localhost`, because clients try them in different orders. For any other name, Node chooses
 * the address. Fastify would do this itself, but not with a `serverFactory`.
 */
async function findAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host]
  const addresses = await lookup(host, { all: true })
  return addresses.map(({ address }) => address)
}

/** Deletes the socket file of a killed process. Throws StartError if the path is another kind of file. */
async function clearSocketPath(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  // A connection to an ordinary file is refused, too, but the file must not be deleted.
  if (found && !found.isSocket())
    throw new StartError('PTS_BAD_OPTION', `SOCKET_PATH is a file but not a socket: ${path}`)
  if (found && (await isAbandoned(path))) await unlink(path)
}

async function isAbandoned(path: string): Promise<boolean> {
  const probe = connect(path)
  const refused = await once(probe, 'connect').catch(({ code }: NodeJS.ErrnoException) => code)
  probe.destroy()
  return refused === 'ECONNREFUSED'
}
