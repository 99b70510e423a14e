import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent in a host, which shuts down as it likes. */
    productDrain?: Drain
  }
}

/** How the process tells the service that it ends. */
export interface Drain {
  /** From now on the service is not ready: send no new requests. */
  announced: AbortSignal
  /** From now on connections are closed; what would go on for ever has to end. */
  closing: AbortSignal
}

/** Tells the service about the end of its process. Registered before the service. */
export const drain = fp<Drain>(
  async (app, given) => {
    app.decorate('productDrain', given)
  },
  { name: 'product-drain', fastify: '5.x' }
)
