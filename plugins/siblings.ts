import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent if no other process serves the same socket. */
    productSiblings?: Siblings
  }
}

/** What a process has to know of the other processes that serve the same socket. */
export interface Siblings {
  /** Whether this process rotates keys, deletes expired rows and keeps the index, for all of them. */
  upkeep: boolean
  /** Counts a request of an address to any of them in a window of some milliseconds. */
  countRequest(address: string, milliseconds: number): Promise<AddressCount>
}

/** Number of requests in the current window, and the milliseconds until it ends. */
export interface AddressCount {
  current: number
  ttl: number
}

/** Tells the service that other processes serve the same socket. Registered before the service. */
export const siblings = fp<Siblings>(
  async (app, given) => {
    app.decorate('productSiblings', given)
  },
  { name: 'product-siblings', fastify: '5.x' }
)
