import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options/index.ts'
import type { FeatureServer } from '../../routes/feature-server.ts'
import type { LoginMethod } from '../../routes/oauth/authorize/login.ts'
import { pageProtocol } from '../../routes/oauth/protocol.ts'
import type { ProviderSettings } from './index.ts'
import { providerButton } from './pages.ts'
import { openLoginProviders, type ProviderClient } from './provider.ts'
import { loginCallback, startLogin } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenID providers of the login page. */
    productLoginProviders: ProviderClient[]
  }
}

/** Opens the providers. Throws StartError for wrong settings, or if their package is not installed. */
const providers = fp<ServiceSettings & ProviderSettings>(
  async (app, settings) => {
    app.decorate('productLoginProviders', await openLoginProviders(settings.loginProviders))
  },
  { name: 'product-login-providers', fastify: '5.x' }
)

const toLoginMethod = (client: ProviderClient): LoginMethod => {
  const { id, name, issuer } = client.provider
  const decision = `provider:${id}`
  return {
    decision,
    part: providerButton(decision, name),
    site: issuer,
    start: visit => startLogin(visit, client)
  }
}

export const server: FeatureServer = {
  plugin: providers,
  endpoints: {
    '/oauth/login/callback/:provider': {
      kind: { auth: 'login page', plugin: pageProtocol },
      GET: { route: loginCallback, summary: 'the redirect URI for an OpenID provider' }
    }
  },
  loginMethods: ({ productLoginProviders }: FastifyInstance) => productLoginProviders.map(toLoginMethod)
}
