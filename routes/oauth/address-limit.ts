import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { tooManyRequests } from '../../errors.ts'
import type { Siblings } from '../../plugins/siblings.ts'

/** Limits the requests of an address to a scope per minute, before anything else is checked; 0 for no limit. */
export async function limitAddresses(app: FastifyInstance, addressLimit: number): Promise<void> {
  if (addressLimit === 0) return
  await app.register(rateLimit, {
    max: addressLimit,
    timeWindow: 60_000,
    ...(app.productSiblings && { store: countTogether(app.productSiblings) }),
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

/** Makes a store of @fastify/rate-limit that counts the requests to all siblings. */
const countTogether = (siblings: Siblings): FastifyRateLimitStoreCtor =>
  class Together {
    incr(address: string, done: CountCallback, milliseconds: number): void {
      siblings.countRequest(address, milliseconds).then(count => done(null, count), done)
    }

    child() {
      return this
    }
  }

type CountCallback = Parameters<FastifyRateLimitStore['incr']>[1]

const quiet = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
