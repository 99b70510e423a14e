import fp from 'fastify-plugin'
import type { FeatureServer } from '../features/feature.ts'
import { loadServers } from '../features/load.ts'
import type { HostOptions } from '../options/host.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the features that are on give to the service. */
    productFeatures: FeatureServer[]
  }
}

/** Loads the features that are on, and opens them. */
export const features = fp<ServiceSettings & { tracer: HostOptions['tracer'] | undefined }>(
  async (app, settings) => {
    const servers = await loadServers(settings)
    app.decorate('productFeatures', servers)
    for (const { plugin } of servers) if (plugin) await app.register(plugin, settings as never)
  },
  { name: 'product-features', fastify: '5.x' }
)
