import fp from 'fastify-plugin'
import type { FeatureServer } from '../features/feature.ts'
import { loadServers } from '../features/load.ts'
import type { HostOptions } from '../options/host.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The servers of the features that are on. */
    productFeatureServers: FeatureServer[]
  }
}

/** Loads the features that are on, and opens them. */
export const featureServers = fp<ServiceSettings & { tracer: HostOptions['tracer'] | undefined }>(
  async (app, settings) => {
    const servers = await loadServers(settings)
    app.decorate('productFeatureServers', servers)
    for (const { plugin } of servers) if (plugin) await app.register(plugin, settings as never)
  },
  { name: 'product-feature-servers', fastify: '5.x' }
)
