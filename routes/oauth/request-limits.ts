import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { RequestCounter } from '../../db/accounts/attempts.ts'
import type { Client } from '../../db/accounts/clients.ts'
import { tooManyRequests } from '../../errors.ts'
import type { ServiceSettings } from '../../options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts a request of an address. Throws 429 beyond the limit. */
    productAddressLimit: (request: FastifyRequest) => Promise<void>
  }
}

const windowSeconds = 60

/**
 * Creates the hook that limits the requests of an address, before anything else is checked. On a Unix domain socket,
 * requests come from this machine only and have no address.
 */
export function createAddressLimit(
  app: FastifyInstance,
  { addressLimit }: ServiceSettings
): FastifyInstance['productAddressLimit'] {
  if (addressLimit === 0) return async () => {}
  const counter = openCounter(app, 'the requests of addresses')
  return async ({ ip }) => {
    if (!ip) return
    const { count, secondsLeft } = await counter.count({ address: findNetwork(ip) })
    if (count > addressLimit) throw tooManyRequests('requests of the address', secondsLeft)
  }
}

/** An IPv6 /64 network, such as that of a household, counts as one address. */
function findNetwork(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return 'parts' in address ? address.parts.slice(0, 4).join(':') : address.toString()
}

/**
 * Creates a function that counts a request of an authenticated client. It throws 429 beyond the limit. A public client is
 * not authenticated: with its id, anyone could use up the limit of all its users.
 */
export function createClientLimit(
  app: FastifyInstance,
  { clientLimit }: ServiceSettings
): (client: Client) => Promise<void> {
  if (clientLimit === 0) return async () => {}
  const counter = openCounter(app, 'the token requests of clients')
  return async ({ id, isPublic }) => {
    if (isPublic) return
    const { count, secondsLeft } = await counter.count({ client: id })
    if (count > clientLimit) throw tooManyRequests(`token requests of client ${id}`, secondsLeft)
  }
}

function openCounter(app: FastifyInstance, what: string): RequestCounter {
  const onError = (err: unknown) => app.log.error({ err }, `${what} could not be stored`)
  const counter = new RequestCounter(app.productStore, windowSeconds, onError)
  app.addHook('onClose', () => counter.flush())
  return counter
}
