import { demo } from '../seeds/accounts.ts'

/** A token request with the demo credentials, for autocannon and fetch. */
export const tokenLoad = {
  headers: {
    authorization: `Basic ${Buffer.from(`${demo.clientId}:${demo.clientSecret}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded'
  },
  body: new URLSearchParams({
    grant_type: 'password',
    username: demo.email,
    password: demo.password
  }).toString()
}

export async function accessToken(url: string): Promise<string> {
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', ...tokenLoad })
  return ((await response.json()) as { access_token: string }).access_token
}
