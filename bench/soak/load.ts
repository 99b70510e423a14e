import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { passwordGrant } from '../credentials.ts'
import { type Requests, wrongPassword } from './requests.ts'

/** The number of templates that the writer changes in turn. */
export const written = 50

/** Milliseconds between two writes, and between two logins. */
const betweenWrites = 40
const betweenLogins = 250

/** The progress of the writer: the number of the last write sent, and of the last one acknowledged. */
export interface Progress {
  sent: number
  acknowledged: number
}

const random = (below: number): number => Math.floor(Math.random() * below)

/** The kinds of clients. Each loop runs until the signal aborts. */
export const loops: ((requests: Requests, signal: AbortSignal) => Promise<void>)[] = [
  readAgain,
  readOnce,
  logIn,
  follow,
  misbehave
]

/** Repeats queries whose responses are cached, by POST and by GET with an ETag. */
async function readAgain(requests: Requests, signal: AbortSignal): Promise<void> {
  const fields = 'id blockchainId maxItems name publicProduct componentName timeCreated timeModified data'
  while (!signal.aborted) {
    const token = await requests.login()
    let etag = ''
    for (let turn = 0; turn < 200 && !signal.aborted; turn++) {
      await requests.graphql(token, `{ allProducts(limit: ${10 * (1 + (turn % 5))}) { ${fields} } }`)
      const headers = { authorization: `Bearer ${token}`, ...(etag && { 'if-none-match': etag }) }
      const query = encodeURIComponent('{ products(first: 10) { nodes { id name } } }')
      etag = (await requests.send(`/graphql?query=${query}`, { headers }, 200, 304))?.etag ?? etag
    }
  }
}

/** Sends queries that are all different, and reads metadata. */
async function readOnce(requests: Requests, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const token = await requests.login()
    for (let turn = 0; turn < 200 && !signal.aborted; turn++) {
      const id = random(1000)
      await requests.graphql(
        token,
        `query ($least: Int!) { products(first: 20, where: { maxItems: { gte: $least } }) {
          totalCount nodes { id document { description } } } }`,
        { least: random(10_000) }
      )
      await requests.graphql(
        token,
        'query ($id: Int!) { product(id: $id) { name revisions(first: 3) { nodes { number } } } }',
        { id }
      )
      await requests.graphql(
        token,
        `{ products(first: 5, where: { search: "${['amber', 'oak', 'wool'][turn % 3]}" }) { nodes { name } } }`
      )
      await requests.send(`/metadata/${id}.json`, {}, 200, 404)
    }
  }
}

/** Logs in, then refreshes, introspects and revokes tokens. */
async function logIn(requests: Requests, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let tokens = await requests.oauth('token', passwordGrant)
    for (let turn = 0; turn < 3; turn++) {
      const form = { grant_type: 'refresh_token', refresh_token: String(tokens?.refresh_token) }
      tokens = await requests.oauth('token', form)
    }
    await requests.oauth('introspect', { token: String(tokens?.access_token) })
    await requests.oauth('revoke', { token: String(tokens?.access_token) })
    await setTimeout(betweenLogins)
  }
}

/** Opens streams of changes and closes them in the middle. */
async function follow(requests: Requests, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const token = await requests.login()
    requests.sent++
    const leave = AbortSignal.any([signal, AbortSignal.timeout(1000 + random(2000))])
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    try {
      const response = await fetch(`${requests.url}/changes`, { headers, signal: leave })
      if (response.status !== 200) requests.errors.push(`/changes answers ${response.status}`)
      for await (const _ of response.body ?? []);
    } catch (error) {
      if (!leave.aborted) requests.errors.push(`/changes: ${error}`)
    }
  }
}

/** Sends wrong credentials, invalid queries and incomplete requests, and leaves responses unread. */
async function misbehave(requests: Requests, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const token = await requests.login()
    await requests.oauth('token', { ...wrongPassword, username: `nobody-${random(1000)}@example.com` }, 400)
    await requests.send('/graphql', { headers: { authorization: 'Bearer nonsense' } }, 401)
    await requests.send(`/nowhere/${random(1e9)}`, {}, 404)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await requests.send('/graphql', { method: 'POST', headers, body: '{' }, 400)
    await abandon(`${requests.url}/graphql`, { ...headers, 'content-length': '1000' }, '{"query":')
    await abandon(
      `${requests.url}/graphql`,
      headers,
      JSON.stringify({ query: '{ allProducts { id data } }' })
    )
    await setTimeout(betweenLogins)
  }
}

/** Sends a request or a part of it, and closes the connection. */
function abandon(url: string, headers: Record<string, string>, body: string): Promise<void> {
  return new Promise(resolve => {
    const sent = request(url, { method: 'POST', headers, agent: false })
    sent.on('error', () => {}).on('close', resolve)
    sent.write(body, () => sent.destroy())
  })
}

/** Writes increasing numbers to the templates in turn. Occasionally creates a template and deletes it. */
export async function write(requests: Requests, ids: number[], progress: Progress, signal: AbortSignal) {
  let token = ''
  const update = `mutation ($id: Int!, $data: String!) {
    updateProduct(id: $id, input: { data: $data }) { product { id } userErrors { message } } }`
  while (!signal.aborted) {
    if (progress.sent % 200 === 0) token = await requests.login()
    const number = ++progress.sent
    const id = ids[number % ids.length]
    const answer = await requests.graphql(token, update, {
      id,
      data: JSON.stringify({ name: `write ${number}` })
    })
    if (answer?.data?.updateProduct?.product) progress.acknowledged = number
    else requests.errors.push(`write ${number}: ${JSON.stringify(answer)}`)
    if (number % 20 === 0) await createAndDelete(requests, token)
    await setTimeout(betweenWrites)
  }
}

async function createAndDelete(requests: Requests, token: string): Promise<void> {
  const made = await requests.graphql(
    token,
    'mutation { createProduct(input: { blockchainId: 1, maxItems: 1, name: "brief", data: "{}" }) { product { id } } }'
  )
  const id = made?.data?.createProduct?.product?.id
  await requests.graphql(token, 'mutation ($id: Int!) { deleteProduct(id: $id) { product { id } } }', { id })
}
