import fp from 'fastify-plugin'
import { openLoginProviders, type ProviderClient } from '../features/providers/provider.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
  }
}

/** Opens the OpenID providers. Throws StartError for wrong settings, or if their package is not installed. */
export const optionalFeatures = fp<ServiceSettings>(
  async (app, settings) => {
    app.decorate('productLoginProviders', await openLoginProviders(settings.loginProviders))
  },
  { name: 'product-optional-features', fastify: '5.x' }
)
