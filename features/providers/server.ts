import type { FastifyInstance, FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { hashSecret } from '../../accounts/credentials/secrets.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { Browser } from '../../routes/oauth/authorize/browser.ts'
import type { LoginMethod } from '../../routes/oauth/authorize/login.ts'
import { asksLogin, pickParameters, type Visit } from '../../routes/oauth/authorize/request.ts'
import { html, page } from '../../routes/oauth/pages/layout.ts'
import { readPageParameters } from '../../routes/oauth/parameters.ts'
import { pageProtocol } from '../../routes/oauth/protocol.ts'
import type { Route } from '../../routes/route.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import { foreignForm, invalidRequest, returnPublicError, toLogFields } from '../../runtime/errors.ts'
import { findOrCreateUser } from './identities.ts'
import type { ProviderSettings } from './index.ts'
import { openLoginProviders, type ProviderClient } from './provider.ts'
import { insertLogin, takeLogin } from './rows.ts'

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

/** Where a provider sends the browser back. Each has its own URI, so that none gets another's code, RFC 9700 §4.4. */
const makeCallbackUri = (issuer: string, provider: string): string =>
  `${issuer}/oauth/login/callback/${provider}`

/** Characters of an authorization request that is stored. */
const maxRequestLength = 8192

/**
 * Sends the browser to a provider. The data to check the response is stored under a hash of the state and the browser's
 * cookie, so that no other browser can finish this login.
 */
async function startLogin({ reply, browser, form }: Visit, client: ProviderClient): Promise<FastifyReply> {
  const { productStore, productTokens } = reply.server
  const { id } = client.provider
  const parameters = pickParameters(form)
  const { prompt: prompts = '', max_age } = parameters
  const prompt = prompts
    .split(' ')
    .filter(value => asksLogin([value]))
    .join(' ')
  const query = new URLSearchParams(parameters).toString()
  if (query.length > maxRequestLength) throw invalidRequest('the parameters are too long')
  const { url, state, ...checks } = await client.begin(makeCallbackUri(productTokens.issuer(), id), {
    ...(prompt !== '' && { prompt }),
    ...(max_age !== undefined && { max_age })
  })
  const hash = hashLogin(state, browser)
  await insertLogin(productStore, { hash, provider: id, ...checks, request: query })
  return reply.redirect(url.href, 303)
}

const hashLogin = (state: string, browser: Browser): string => hashSecret(`${browser.csrf()} ${state}`)

/** Takes the response of a provider, OpenID Connect Core 1.0 §3.1.2.5. Logs the user in and continues the request. */
const loginCallback: Route = (_app, settings) => ({
  exposeHeadRoute: false,
  handler: async (request, reply) => {
    const { productStore, productLoginProviders, productTokens } = request.server
    const { form } = readPageParameters(request)
    const { provider: id } = request.params as { provider: string }
    const { state = '' } = form
    const browser = await Browser.open(reply, settings)
    const hash = hashLogin(state, browser)
    const begun = await takeLogin(productStore, hash)
    const client = productLoginProviders.find(({ provider }) => provider.id === begun?.provider)
    if (!begun || !client || begun.provider !== id)
      throw foreignForm('the login is unknown, expired, or from another browser')
    const { provider } = client
    const url = new URL(makeCallbackUri(productTokens.issuer(), id))
    url.search = new URLSearchParams(form).toString()
    const logIn = async () => {
      const maxAge = new URLSearchParams(begun.request).get('max_age')
      const claims = await client.finish(
        url,
        { ...begun, state },
        maxAge === null ? undefined : Number(maxAge)
      )
      const user = await findOrCreateUser(productStore, provider, claims, { cost: settings, request })
      return browser.logIn(user, { provider: provider.id })
    }
    const refused = await logIn().catch(returnPublicError)
    if (!refused) return reply.redirect(makeAuthorizePath(removeLoginPrompt(begun.request)), 303)
    const audit = { provider: provider.id, remoteAddress: request.ip }
    request.log.info({ ...audit, ...toLogFields(refused) }, 'login refused')
    if (refused.statusCode >= 500) throw refused
    return reply.code(403).send(loginFailedPage(provider.name, makeAuthorizePath(begun.request)))
  }
})

const makeAuthorizePath = (query: string): string => `../../authorize?${query}`

/** Removes the parameters that require a new login, because the user has just logged in. */
function removeLoginPrompt(query: string): string {
  const parameters = new URLSearchParams(query)
  const prompt = (parameters.get('prompt') ?? '').split(' ').filter(value => !asksLogin([value]))
  parameters.delete('max_age')
  parameters.delete('prompt')
  if (prompt.join(' ') !== '') parameters.set('prompt', prompt.join(' '))
  return parameters.toString()
}

/** `again` is the address of a new attempt. */
const loginFailedPage = (provider: string, again: string): string =>
  page(
    'You are not logged in',
    html`<p role="alert">${provider} has sent you back, but you have no access here: the login was cancelled, or you have no account.</p>
<p><a href="${again}">Try again</a></p>`
  )

const toLoginMethod = (client: ProviderClient): LoginMethod => {
  const { id, name, issuer } = client.provider
  const decision = `provider:${id}`
  return {
    decision,
    part: html`<button class="wide" name="decision" value="${decision}" formnovalidate>Log in with ${name}</button>
`,
    site: issuer,
    start: visit => startLogin(visit, client)
  }
}

export const server: ServerAddition = {
  plugin: providers,
  endpoints: {
    '/oauth/login/callback/:provider': {
      kind: { auth: 'login page', plugin: pageProtocol },
      GET: { route: loginCallback, summary: 'the redirect URI for an OpenID provider' }
    }
  },
  loginMethods: ({ productLoginProviders }: FastifyInstance) => productLoginProviders.map(toLoginMethod)
}
