import { connect } from 'node:net'
import type { Test } from 'tap'
import { client, user } from '../service/service.ts'

/** HTTP Basic with form-encoded credentials (RFC 6749 §2.3.1). */
export const basic = (id = client.id, secret = client.secret): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** Sends a password grant. Undefined omits a parameter or a header. */
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

/** Obtains an access token for the user of the test. */
export async function accessToken(
  url: string,
  parameters: Record<string, string | undefined> = {},
  headers: Record<string, string | undefined> = {}
): Promise<string> {
  const response = await tokenRequest(url, parameters, headers)
  const body = (await response.json()) as { access_token: string }
  return body.access_token
}

export function graphqlRequest(
  url: string,
  token: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null
) {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal
  })
}

/** Sends a query. Returns the status and the parsed body. */
export async function query(url: string, token: string, text: string, more: object = {}) {
  const response = await graphqlRequest(url, token, { query: text, variables: {}, ...more })
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about to check
  return { status: response.status, body: (await response.json()) as any }
}

/** Sends a query by GET. */
export function graphqlGet(
  url: string,
  token: string,
  parameters: Record<string, string> | [string, string][],
  headers: Record<string, string> = {}
) {
  return fetch(`${url}/graphql?${new URLSearchParams(parameters)}`, {
    headers: { authorization: `Bearer ${token}`, ...headers }
  })
}

/** The media type in which a request error has its own status. */
export const responseJson = { accept: 'application/graphql-response+json' }

/** Checks that a document is refused before execution: errors, no data, and status 400 if the media type allows it. */
export async function refusal(t: Test, url: string, token: string, request: object | string, about = '') {
  const body = typeof request === 'string' ? { query: request } : request
  const strict = await graphqlRequest(url, token, body, responseJson)
  const lenient = await graphqlRequest(url, token, body)
  t.same([strict.status, lenient.status], [400, 200], about)
  const errors = (await strict.json()) as { errors: { message: string; extensions: { code: string } }[] }
  t.same(Object.keys(errors), ['errors'], about)
  t.same(await lenient.json(), errors, about)
  return errors.errors
}

/** Returns the parts of a response that are the same in equal responses. */
export async function visible(response: Response) {
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  return { status: response.status, headers, body: await response.text() }
}

const present = (entries: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )

/** Sends raw bytes. Returns the raw response. */
export function rawRequest(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.setEncoding('utf8').on('data', chunk => {
      answer += chunk
    })
    socket.once('end', () => resolve(answer))
    socket.once('error', error => (answer ? resolve(answer) : reject(error)))
    socket.write(bytes)
  })
}

/** Formats an HTTP/1.1 request for {@link rawRequest} that closes the connection. */
export const rawPost = (path: string, headers: string[], body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n')
    ),
    Buffer.from(body)
  ])

/** Checks the form of an OAuth error response. Returns its status and error code. */
export async function oauthError(t: Test, response: Response) {
  const body = (await response.json()) as { error: string }
  t.same(Object.keys(body), ['error', 'error_description'])
  t.match(body, { error: String, error_description: /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/ })
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.equal(response.headers.get('pragma'), 'no-cache')
  t.equal(response.headers.get('set-cookie'), null)
  return [response.status, body.error]
}
