import fp from 'fastify-plugin'
import { sourceOf } from '../db/connect.ts'
import { WorkerThreads } from '../graphql/threads/pool.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** undefined if no thread can open the database: it is in memory, or a Kysely instance of a host. */
    productWorkers: WorkerThreads | undefined
  }
}

/** Provides worker threads for GraphQL operations that would hold up the event loop. */
export const workerThreads = fp<ServiceSettings>(
  async (app, settings) => {
    const source = sourceOf(app.productStore)
    const workers = source && new WorkerThreads({ settings, source })
    app.decorate('productWorkers', workers)
    if (!workers) return
    app.addHook('onClose', () => workers.close())
    app.productOnScrape(() => workers.readMetricValues())
  },
  { name: 'product-workers', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
