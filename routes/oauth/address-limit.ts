import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { tooManyRequests } from '../../errors.ts'
import type { Siblings } from '../../plugins/siblings.ts'
import { AddressCounter } from './address-counter.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productCountAddress: Siblings['countRequest']
  }
}

/** Returns the counter of addresses for all scopes of a service, and for its siblings. */
export function countAddresses({ productSiblings }: FastifyInstance): Siblings['countRequest'] {
  const counter = new AddressCounter()
  return (
    productSiblings?.countRequest ?? (async (address, milliseconds) => counter.count(address, milliseconds))
  )
}

/** Limits the requests of an address per minute, before anything else is checked; 0 for no limit. */
export async function limitAddresses(app: FastifyInstance, addressLimit: number): Promise<void> {
  if (addressLimit === 0) return
  await app.register(rateLimit, {
    max: addressLimit,
    timeWindow: 60_000,
    store: countWith(app.productCountAddress),
    // On a Unix domain socket, requests come from this machine only and have no address.
    allowList: ({ ip }) => !ip,
    // An IPv6 /64 network, such as that of a household, counts as one address.
    keyGenerator: ({ ip }) => (ip ? rateLimit.normalizeIP(ip, 64) : ''),
    // Only a refusal has a header, Retry-After; all other responses look the same.
    addHeaders: quiet,
    addHeadersOnExceeding: quiet,
    errorResponseBuilder: (_request, { ttl }) =>
      tooManyRequests('requests of the address', Math.ceil(ttl / 1000))
  })
}

/** Makes a store of @fastify/rate-limit, whose own one counts for one scope. */
const countWith = (count: Siblings['countRequest']): FastifyRateLimitStoreCtor =>
  class SharedStore {
    incr(address: string, done: CountCallback, milliseconds: number): void {
      count(address, milliseconds).then(counted => done(null, counted), done)
    }

    child() {
      return this
    }
  }

type CountCallback = Parameters<FastifyRateLimitStore['incr']>[1]

const quiet = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
