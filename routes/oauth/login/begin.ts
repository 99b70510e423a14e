import type { FastifyReply } from 'fastify'
import { hashSecret } from '../../../credentials/secrets.ts'
import { insertProviderLogin } from '../../../db/accounts/provider-logins.ts'
import { foreignForm } from '../../../errors.ts'
import type { Browser } from '../authorize/browser.ts'
import type { Form } from '../protocol.ts'

/** Where providers send the browser back to; registered at each of them. */
export const callbackUri = (issuer: string): string => `${issuer}/oauth/login/callback`

/**
 * Sends the browser to a provider. What must come back is stored under a hash of the state and the browser's cookie, so that
 * no other browser can end this login. `request` are the parameters of the authorization request.
 */
export async function beginLogin(
  reply: FastifyReply,
  browser: Browser,
  id: string,
  request: Form
): Promise<FastifyReply> {
  const { productLoginProviders: providers, productStore, productTokens } = reply.server
  const client = providers.find(({ provider }) => provider.id === id)
  if (!client) throw foreignForm('unknown provider')
  const { prompt = '', max_age } = request
  const { url, login } = await client.begin(callbackUri(productTokens.issuer()), {
    ...(prompt.split(' ').includes('login') && { prompt: 'login' }),
    ...(max_age !== undefined && { max_age })
  })
  const { state, nonce, verifier } = login
  const query = new URLSearchParams(withoutLogin(request)).toString()
  await insertProviderLogin(productStore, loginHash(state, browser), {
    provider: id,
    nonce,
    verifier,
    request: query
  })
  return reply.redirect(url.href, 303)
}

export const loginHash = (state: string, browser: Browser): string => hashSecret(`${browser.csrf()} ${state}`)

/** Leaves out what asks for a new login: when the browser comes back, somebody has just logged in. */
function withoutLogin({ prompt = '', max_age: _, ...others }: Form): Form {
  const rest = prompt.split(' ').filter(value => value !== 'login' && value !== '')
  return rest.length === 0 ? others : { ...others, prompt: rest.join(' ') }
}
