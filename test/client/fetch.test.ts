// Runs on SQLite only, in test:all only.
/** What the client gives to other libraries: a `fetch` with its token, and the token. */
import { type Test, t } from 'tap'
import {
  type Auth,
  ClientError,
  createClient,
  LoginRequiredError,
  type Tokens
} from '../../packages/client/index.ts'
import { basic } from '../support/http/http.ts'
import { addTemplates, client as identity, service } from '../support/service/service.ts'
import { TestClock } from './clock.ts'
import { network } from './network.ts'

const auth = { grant: 'client_credentials', clientId: identity.id, clientSecret: identity.secret } as const

async function start(t: Test, prefix = '') {
  const { db, url } = await service(t)
  await db
    .updateTable('product_client')
    .set({ grant_types: 'client_credentials' })
    .where('id', '=', identity.id)
    .execute()
  await addTemplates(db, { id: 1, name: 'Lamp' })
  const net = await network(t, url)
  const clock = new TestClock()
  const connect = (auth: Auth, more = {}) => createClient({ url: net.url + prefix, auth, clock, ...more })
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  return { url, net, clock, connect, post }
}

const body = JSON.stringify({ query: '{ allProducts { name } }' })
const data = { data: { allProducts: [{ name: 'Lamp' }] } }

t.test('fetch adds a token to each kind of request, and works without its client', async t => {
  const { net, connect, post } = await start(t)
  const { fetch } = connect(auth)
  t.same(await (await fetch(`${net.url}/graphql`, post)).json(), data)
  t.same(await (await fetch(new URL(`${net.url}/graphql`), post)).json(), data)
  t.same(await (await fetch(new Request(`${net.url}/graphql`, post))).json(), data)
  t.same(net.requests, ['POST /oauth/token', 'POST /graphql', 'POST /graphql', 'POST /graphql'])
})

t.test('a refused token is renewed once, and the request sent again with its body', async t => {
  const { net, connect, post } = await start(t)
  const issued: (Tokens | undefined)[] = []
  const responses: Response[] = []
  const record = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request)
    responses.push(response)
    return response
  }
  const client = connect({ ...auth, onTokens: tokens => issued.push(tokens) }, { fetch: record })
  await fetch(`${net.url}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic(identity.id, identity.secret) },
    body: new URLSearchParams({ token: await client.token() })
  })
  t.same(await (await client.fetch(`${net.url}/graphql`, post)).json(), data)
  t.equal(issued.length, 2)
  t.same(
    responses.map(({ status, bodyUsed }) => [status, bodyUsed]),
    [
      [200, true],
      [401, true],
      [200, true],
      [200, true]
    ],
    'no body is left to hold its connection'
  )
  t.equal(await client.token(), issued[1]?.accessToken, 'the new token is that of all requests')

  const sent = net.requests.length
  net.fail('/graphql', { status: 401 }, { status: 401 })
  t.equal((await client.fetch(`${net.url}/graphql`, post)).status, 401)
  t.same(net.requests.slice(sent), ['POST /graphql', 'POST /oauth/token', 'POST /graphql'])
  net.fail('/graphql', { status: 503 })
  t.equal((await client.fetch(`${net.url}/graphql`, post)).status, 503, 'nothing else is repeated')
})

t.test('a fixed token is sent once, and a refusal is the response', async t => {
  const { net, connect, post } = await start(t)
  t.equal((await connect('wrong').fetch(`${net.url}/graphql`, post)).status, 401)
  t.same(net.requests, ['POST /graphql'])
})

t.test('no other address gets the token', async t => {
  const { net, connect } = await start(t, '/shop')
  const other = await network(t)
  const { fetch } = connect('secret')
  const { port } = new URL(net.url)
  for (const url of [
    `${other.url}/shop/graphql`,
    `${net.url}/shop`,
    `${net.url}/shopping/graphql`,
    `${net.url}/shop/../graphql`,
    `${net.url}/shop/..%2Fgraphql`,
    `${net.url}/shop/..%5cgraphql`,
    `http://127.0.0.1.nip.example:${port}/shop/graphql`,
    `http://localhost:${port}/shop/graphql`,
    `http:\\\\127.0.0.1:${new URL(other.url).port}\\shop\\graphql`
  ])
    await t.rejects(fetch(url), ClientError, url)
  t.same([...net.requests, ...other.requests], [])
})

t.test('no redirect is followed: neither the token nor the body go on', async t => {
  const { net, connect, post } = await start(t, '/shop')
  net.fail('/shop/graphql', { status: 307, headers: { location: '/graphql' } })
  await t.rejects(connect('secret').fetch(`${net.url}/shop/graphql`, post), TypeError)
  t.same(net.requests, ['POST /shop/graphql'])
})

t.test('an abort ends the request, also while it waits for a token', async t => {
  const { net, connect, post } = await start(t)
  const client = connect(auth)
  net.fail('/oauth/token', 'silent')
  const stop = new AbortController()
  const { signal } = stop
  const given = connect(() => new Promise<string>(() => {}))
  const waiting = [client, given].flatMap(each => [
    each.fetch(`${net.url}/graphql`, { ...post, signal }),
    each.token({ signal }),
    each.request('{ allProducts { id } }', {}, { signal })
  ])
  stop.abort(new Error('enough'))
  for (const { status, reason } of await Promise.allSettled<unknown>(waiting).then(
    all => all as PromiseRejectedResult[]
  ))
    t.match({ status, reason }, { status: 'rejected', reason: { message: 'enough' } })
  t.notOk(net.requests.includes('POST /graphql'))
})

t.test('a token is current, and comes from one request for all who ask', async t => {
  const { net, clock, connect } = await start(t)
  const client = connect(auth)
  const tokens = await Promise.all([client.token(), client.token(), client.token()])
  t.equal(new Set(tokens).size, 1)
  t.same(net.requests, ['POST /oauth/token'])
  clock.pass(86_400_000)
  t.not(await client.token(), tokens[0])
  const page = { grant: 'authorization_code', clientId: 'page', redirectUri: 'http://127.0.0.1/' } as const
  await t.rejects(connect(page).token(), LoginRequiredError)
  await t.rejects(connect(page).fetch(`${net.url}/graphql`), LoginRequiredError)
})
