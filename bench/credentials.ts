import { demo } from '../seeds/credentials.ts'

export interface ClientCredentials {
  id: string
  secret: string
}

const demoClient: ClientCredentials = { id: demo.clientId, secret: demo.clientSecret }
export const passwordGrant = { grant_type: 'password', username: demo.email, password: demo.password }

/** Builds a token request for autocannon and fetch. */
export const tokenRequest = (client: ClientCredentials, parameters: Record<string, string>) => ({
  headers: {
    authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded'
  },
  body: new URLSearchParams(parameters).toString()
})

/** A token request with the demo credentials. */
export const tokenLoad = tokenRequest(demoClient, passwordGrant)

/** A token request of the demo client on its own behalf. */
export const clientLoad = tokenRequest(demoClient, { grant_type: 'client_credentials' })

export async function accessToken(url: string): Promise<string> {
  return (await requestToken(url, tokenLoad)).access_token
}

/** Logs the demo user in with a client that may use refresh tokens. */
export async function refreshToken(url: string, client: ClientCredentials): Promise<string> {
  return (await requestToken(url, tokenRequest(client, passwordGrant))).refresh_token
}

async function requestToken(url: string, request: { headers: Record<string, string>; body: string }) {
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', ...request })
  return (await response.json()) as { access_token: string; refresh_token: string }
}
