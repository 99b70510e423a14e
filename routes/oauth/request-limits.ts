import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { type AttemptSubject, RequestCounter } from '../../db/accounts/attempts.ts'
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
export const createAddressLimit = (app: FastifyInstance, { addressLimit }: ServiceSettings) =>
  createLimit(app, addressLimit, 'the requests of addresses', ({ ip }: FastifyRequest) =>
    ip ? { subject: { address: findNetwork(ip) }, what: 'requests of the address' } : undefined
  )

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
export const createClientLimit = (app: FastifyInstance, { clientLimit }: ServiceSettings) =>
  createLimit(app, clientLimit, 'the token requests of clients', ({ id, isPublic }: Client) =>
    isPublic ? undefined : { subject: { client: id }, what: `token requests of client ${id}` }
  )

/** `identify` tells who is counted, and what, for the log; undefined for what has no limit. */
function createLimit<Counted>(
  app: FastifyInstance,
  limit: number,
  name: string,
  identify: (counted: Counted) => { subject: AttemptSubject; what: string } | undefined
): (counted: Counted) => Promise<void> {
  if (limit === 0) return async () => {}
  const counter = new RequestCounter(app.productStore, windowSeconds, err =>
    app.log.error({ err }, `${name} could not be stored`)
  )
  app.addHook('onClose', () => counter.flush())
  return async counted => {
    const found = identify(counted)
    if (!found) return
    const { count, secondsLeft } = await counter.count(found.subject)
    if (count > limit) throw tooManyRequests(found.what, secondsLeft)
  }
}
