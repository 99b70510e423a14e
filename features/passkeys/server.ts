import fp from 'fastify-plugin'
import type { ServiceSettings } from '../../options/index.ts'
import type { FeatureServer } from '../../routes/feature-server.ts'
import type { LoginMethod } from '../../routes/oauth/authorize/login.ts'
import { pageProtocol } from '../../routes/oauth/protocol.ts'
import { openPasskeys, type Passkeys } from './ceremonies.ts'
import { passkeyLogin, passkeyScript } from './pages.ts'
import { logInWithPasskey } from './passkeys.ts'
import { accountSection, passkeyChallenge } from './routes.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The passkeys of the service. */
    productPasskeys: Passkeys
  }
}

const passkeys = fp<ServiceSettings>(
  async (app, { issuer }) => void app.decorate('productPasskeys', await openPasskeys(issuer)),
  { name: 'product-passkeys', fastify: '5.x' }
)

const loginMethod: LoginMethod = {
  decision: 'passkey',
  part: passkeyLogin,
  script: passkeyScript,
  refusal: 'The passkey was not accepted.',
  async authenticate({ settings, form, browser, reply }) {
    const { productMetrics, productPasskeys, productStore } = reply.server
    const answer = { text: form.credential ?? '', browser: browser.csrf() }
    return productMetrics.countLogin(logInWithPasskey(productStore, productPasskeys, answer, settings))
  }
}

export const server: FeatureServer = {
  plugin: passkeys,
  endpoints: {
    '/oauth/passkey': {
      kind: { auth: 'login page', plugin: pageProtocol },
      POST: { route: passkeyChallenge, summary: 'a challenge for a passkey: to log in, or to add one' }
    },
    '/oauth/passkeys.js': {
      kind: { auth: 'none' },
      GET: { route: passkeyScript.route, summary: 'the script for passkeys' }
    }
  },
  loginMethods: () => [loginMethod],
  accountSection
}
