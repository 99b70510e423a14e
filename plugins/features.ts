import fp from 'fastify-plugin'
import { loadServers } from '../features/load.ts'
import type { ServiceSettings } from '../options/index.ts'

/** Opens the features that are on. */
export const features = fp<ServiceSettings>(
  async (app, settings) => {
    for (const { plugin } of await loadServers(settings))
      if (plugin) await app.register(plugin, settings as never)
  },
  { name: 'product-features', fastify: '5.x' }
)
