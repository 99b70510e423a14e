import fp from 'fastify-plugin'
import { sourceOf } from '../db/connect.ts'
import { WorkerThreads } from '../graphql/threads/pool.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** undefined if no thread can open the database: it is in memory, or a Kysely instance of a host. */
    productThreads: WorkerThreads | undefined
  }
}

/** Provides worker threads for GraphQL operations that would hold up the event loop. */
export const workerThreads = fp<ServiceSettings>(
  async (app, settings) => {
    const source = sourceOf(app.productStore)
    const threads = source && new WorkerThreads({ settings, source })
    app.decorate('productThreads', threads)
    if (!threads) return
    app.addHook('onClose', () => threads.close())
    app.productOnScrape(() => threads.readMetricValues())
  },
  { name: 'product-worker-threads', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
