import { lookup } from 'node:dns/promises'
import { chmod, lstat, unlink } from 'node:fs/promises'
import { BlockList, connect, isIPv6 } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { StartError } from '../../../errors.ts'
import type { ListeningSettings } from '../../../options.ts'
import type { HttpServers } from './http-server.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether other machines can reach the address to listen on. A name is resolved first. */
export async function isReachableFromOutside({ host, socketPath }: ListeningSettings): Promise<boolean> {
  if (socketPath !== undefined) return false
  const addresses = await lookup(host, { all: true }).catch(() => [{ address: host }])
  return !addresses.every(({ address }) => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
}

/** Makes the line of the log for an address that the server listens on. */
export type FormatAddress = (address: string) => string

/** Formats the line that tells operators, and scripts that wait for it, where the service is. */
export const formatListening: FormatAddress = address => `Server listening at ${address}`

/** Formats the line for the listener of HEALTH_PORT. */
export const formatProbes: FormatAddress = address => `Probes at ${address}`

/** Listens on the configured address or socket, and on all addresses of `localhost`. */
export async function listen(
  app: FastifyInstance,
  { host, port, socketPath, socketMode }: ListeningSettings,
  { servers, formatAddress: listenTextResolver = formatListening }: Listening
): Promise<void> {
  if (socketPath !== undefined) {
    // Nobody else may connect before the mode is set.
    const mask = process.umask(0o077)
    await app.listen({ path: socketPath, listenTextResolver }).finally(() => process.umask(mask))
    await chmod(socketPath, Number.parseInt(socketMode, 8))
  } else {
    const hosts = await findAddresses(host)
    await app.listen({ host: hosts[0] as string, port, listenTextResolver })
    const others = await servers.listenAlso(app.server, hosts.slice(1))
    for (const address of others) app.log.info(listenTextResolver(address))
  }
}

interface Listening {
  servers: HttpServers
  formatAddress?: FormatAddress | undefined
}

/** Clients try the addresses of `localhost` in an order of their own. Node takes the first one of any other name. */
async function findAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host]
  const addresses = await lookup(host, { all: true })
  return addresses.map(({ address }) => address)
}

/** Deletes a socket file left by a killed process. Throws StartError if any other file is in its place. */
export async function clearSocketPath({ socketPath }: ListeningSettings): Promise<void> {
  if (socketPath === undefined) return
  const found = await lstat(socketPath).catch(() => undefined)
  // Connecting to an ordinary file is refused too, but it must not be deleted.
  if (found && !found.isSocket())
    throw new StartError('PTS_BAD_OPTION', `SOCKET_PATH is a file but not a socket: ${socketPath}`)
  if (found && (await isAbandoned(socketPath))) await unlink(socketPath)
}

function isAbandoned(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(false)
    })
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })
}
