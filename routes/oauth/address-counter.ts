import { LRUCache } from 'lru-cache'
import type { AddressCount } from '../../plugins/siblings.ts'

/** Addresses counted at the same time, as in @fastify/rate-limit. */
const maxAddresses = 5000

/** Counts the requests of addresses, in windows that begin with the first request. */
export class AddressCounter {
  readonly #windows = new LRUCache<string, { current: number }>({ max: maxAddresses })

  /** Counts a request; `milliseconds` is the length of its window if it begins one. */
  count(address: string, milliseconds: number): AddressCount {
    const known = this.#windows.get(address)
    if (!known) {
      this.#windows.set(address, { current: 1 }, { ttl: milliseconds })
      return { current: 1, ttl: milliseconds }
    }
    known.current++
    return { current: known.current, ttl: this.#windows.getRemainingTTL(address) }
  }
}
