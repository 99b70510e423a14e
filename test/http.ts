import { client, user } from './service.ts'

/** HTTP Basic as RFC 6749 §2.3.1 wants it: form-encoded, then base64. */
export const basic = (id = client.id, secret = client.secret): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** A password grant, with the parameters and headers changed or (undefined) left out. */
export function tokenRequest(
  url: string,
  parameters: Record<string, string | undefined> = {},
  headers: Record<string, string | undefined> = {}
): Promise<Response> {
  const form = { grant_type: 'password', username: user.email, password: user.password, ...parameters }
  return fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: present({
      authorization: basic(),
      'content-type': 'application/x-www-form-urlencoded',
      ...headers
    }),
    body: new URLSearchParams(present(form)).toString()
  })
}

/** An access token of the test's user. */
export async function accessToken(
  url: string,
  parameters: Record<string, string | undefined> = {}
): Promise<string> {
  const response = await tokenRequest(url, parameters)
  const body = (await response.json()) as { access_token: string }
  return body.access_token
}

export function graphqlRequest(
  url: string,
  token: string,
  body: unknown,
  headers: Record<string, string> = {}
) {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body)
  })
}

/** The answer to a query: status and parsed body. */
export async function query(url: string, token: string, text: string, more: object = {}) {
  const response = await graphqlRequest(url, token, { query: text, variables: {}, ...more })
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
  return { status: response.status, body: (await response.json()) as any }
}

/** What a client sees of an answer, as far as two answers can be compared. */
export async function visible(response: Response) {
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  return { status: response.status, headers, body: await response.text() }
}

const present = (entries: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
