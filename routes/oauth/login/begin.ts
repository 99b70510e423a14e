import type { FastifyReply } from 'fastify'
import { hashSecret } from '../../../credentials/secrets.ts'
import { insertProviderLogin } from '../../../db/accounts/logins/provider-logins.ts'
import { foreignForm, invalidRequest } from '../../../errors.ts'
import type { Browser } from '../authorize/browser.ts'
import type { Form } from '../protocol.ts'

/** Where a provider sends the browser back to. Each has its own address, so that none gets another's code, RFC 9700 §4.4. */
export const callbackUri = (issuer: string, provider: string): string =>
  `${issuer}/oauth/login/callback/${provider}`

/** Characters of an authorization request that is stored. */
const maxRequestLength = 8192

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
  const query = new URLSearchParams(request).toString()
  if (query.length > maxRequestLength) throw invalidRequest('the parameters are too long')
  const { url, login } = await client.begin(callbackUri(productTokens.issuer(), id), {
    ...(prompt.split(' ').includes('login') && { prompt: 'login' }),
    ...(max_age !== undefined && { max_age })
  })
  const { state, nonce, verifier } = login
  await insertProviderLogin(productStore, loginHash(state, browser), {
    provider: id,
    nonce,
    verifier,
    request: query
  })
  return reply.redirect(url.href, 303)
}

export const loginHash = (state: string, browser: Browser): string => hashSecret(`${browser.csrf()} ${state}`)
