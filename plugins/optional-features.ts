import fp from 'fastify-plugin'
import { openPasskeys, type Passkeys } from '../features/passkeys/ceremonies.ts'
import { openLoginProviders, type ProviderClient } from '../features/providers/provider.ts'
import type { ServiceSettings } from '../options/index.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
    /** The passkeys of the service; undefined if PASSKEYS is off. */
    productPasskeys: Passkeys | undefined
  }
}

/**
 * Opens the features that need optional packages: OpenID providers and passkeys. Throws StartError for wrong
 * settings, or if a package is not installed.
 */
export const optionalFeatures = fp<ServiceSettings>(
  async (app, settings) => {
    app.decorate('productLoginProviders', await openLoginProviders(settings.loginProviders))
    app.decorate('productPasskeys', settings.passkeys ? await openPasskeys(settings.issuer) : undefined)
  },
  { name: 'product-optional-features', fastify: '5.x' }
)
