import type { onResponseHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { collectHashes } from '../credentials/hash-queue.ts'
import { type Collect, Metrics } from '../metrics/metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productMetrics: Metrics
    /** Adds figures to each scrape until the service closes. */
    productOnCollect: (collect: Collect) => void
  }
}

export interface MetricsOptions {
  /** Where the figures go; by default to an object of this plugin. */
  metrics?: Metrics
}

/** Provides the figures of the service, which every part of it counts into. */
export const metrics = fp<MetricsOptions>(
  async (app, { metrics = new Metrics() }) => {
    app.decorate('productMetrics', metrics)
    const ends: (() => void)[] = []
    const onCollect = (collect: Collect) => void ends.push(metrics.onCollect(collect))
    app.decorate('productOnCollect', onCollect)
    onCollect(collectHashes)
    // The object may be a host's, which keeps it.
    app.addHook('onClose', async () => {
      for (const end of ends) end()
    })
  },
  { name: 'product-metrics', fastify: '5.x' }
)

/** Makes the hook that counts the responses of a route. A callback, because it runs for every request. */
export function countResponses(metrics: Metrics, path: string): onResponseHookHandler {
  const figures = metrics.route(path)
  return (request, reply, done) => {
    figures.count(request, reply, request.productTrace?.exemplar)
    done()
  }
}
