/** Limits the requests of addresses and of clients. The database counts them for all processes. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { type AttemptSubject, RequestCounter } from '../../db/accounts/attempts.ts'
import type { StoredClient } from '../../db/accounts/clients.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'
import type { Reason } from '../../runtime/error-codes.ts'
import { tooManyRequests } from '../../runtime/errors.ts'

/**
 * Creates the hook that limits the requests of an address, before anything else is checked. On a Unix domain socket,
 * requests come from this machine only and have no address.
 */
export function createAddressLimit(app: FastifyInstance, { addressLimit }: ServiceSettings) {
  const count = createLimit(app, addressLimit, 'the requests of addresses', 'address_limit')
  return async ({ ip }: FastifyRequest) => {
    if (ip) await count({ kind: 'address', id: findNetwork(ip) }, 'requests of the address')
  }
}

/** An IPv6 /64 network, such as that of a household, counts as one address. Some proxies add the port of the client. */
export function findNetwork(ip: string): string {
  const host = ipaddr.isValid(ip) ? ip : ip.replace(/^\[?([^\]]*?)\]?(:\d+)?$/, '$1')
  if (!ipaddr.isValid(host)) return ip
  const address = ipaddr.process(host)
  return 'parts' in address ? address.parts.slice(0, 4).join(':') : address.toString()
}

/**
 * Creates a function that counts a request of an authenticated client. It throws 429 beyond the limit. It does not
 * count a public client, because anyone could use up the limit of all its users with its id.
 */
export function createClientLimit(app: FastifyInstance, { clientLimit }: ServiceSettings) {
  const count = createLimit(app, clientLimit, 'the token requests of clients', 'client_limit')
  return async ({ id, isPublic }: StoredClient) => {
    if (!isPublic) await count({ kind: 'client', id }, `token requests of client ${id}`)
  }
}

/** Milliseconds between two writes of the counts of requests. */
const writeIntervalMs = 1000

/** 0 means no limit. `name` and `what` are for the log. */
function createLimit(app: FastifyInstance, limit: number, name: string, reason: Reason) {
  if (limit === 0) return async () => {}
  const counter = new RequestCounter(app.productStore)
  const write = () => counter.write().catch(err => app.log.error({ err }, `${name} could not be stored`))
  // This runs after the last round, because Fastify calls the hook of `repeatUntilClose` first.
  app.addHook('onClose', write)
  repeatUntilClose(app, () => write().then(() => writeIntervalMs), writeIntervalMs)
  return async (subject: AttemptSubject, what: string) => {
    const { count, secondsLeft } = await counter.count(subject)
    if (count > limit) throw tooManyRequests(what, secondsLeft, reason)
  }
}
