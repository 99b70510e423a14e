import fp from 'fastify-plugin'
import { loadLibrary, ProviderClient, readLoginProviders } from '../credentials/login-provider.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
  }
}

/** The OpenID providers of the login page. Throws StartError for wrong settings, or if openid-client is not installed. */
export const loginProviders = fp<{ loginProviders?: string | undefined }>(
  async (app, { loginProviders }) => {
    const providers = await readLoginProviders(loginProviders)
    if (providers.length > 0) await loadLibrary()
    app.decorate(
      'productLoginProviders',
      providers.map(provider => new ProviderClient(provider))
    )
  },
  { name: 'product-login-providers', fastify: '5.x' }
)
