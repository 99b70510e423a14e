// Runs on SQLite only, in test:all only.
/** How the client gets and renews its tokens. */
import { type Test, t } from 'tap'
import {
  type Auth,
  createClient,
  LoginRequiredError,
  OAuthError,
  type Tokens
} from '../../packages/client/index.ts'
import { users } from '../../store.ts'
import { addTemplates, service, user } from '../support/service/service.ts'
import { TestClock } from './clock.ts'
import { network } from './network.ts'
import { passwordAuth } from './password-auth.ts'

const { clientId, clientSecret } = passwordAuth

async function start(t: Test) {
  const { db, url } = await service(t)
  const grants = 'password refresh_token client_credentials'
  await db.updateTable('product_client').set({ grant_types: grants }).where('id', '=', clientId).execute()
  await addTemplates(db, { id: 1 })
  const net = await network(t, url)
  const clock = new TestClock()
  const connect = (auth: Auth, more = {}) => createClient({ url: net.url, auth, clock, ...more })
  /** The grant types of the token requests so far. */
  const grantsSent = () => net.sent.flatMap(({ body }) => new URLSearchParams(body).get('grant_type') ?? [])
  return { db, url, net, clock, connect, grantsSent }
}

const names = '{ allProducts { name } }'
const day = 86_400_000

t.test('one login, and later one renewal, serves all requests that wait', async t => {
  const { clock, connect, grantsSent } = await start(t)
  const seen: (Tokens | undefined)[] = []
  const client = connect({ ...passwordAuth, onTokens: tokens => seen.push(tokens) })
  const ask = () => Promise.all(Array.from({ length: 20 }, () => client.request(names)))
  await ask()
  t.same(grantsSent(), ['password'])
  t.match(seen[0], { accessToken: /^ey/, refreshToken: String, response: { first_name: 'Ada' } })
  clock.pass(day)
  await ask()
  t.same(grantsSent(), ['password', 'refresh_token'])
  clock.pass(day)
  await ask()
  t.same(grantsSent(), ['password', 'refresh_token', 'refresh_token'])
  t.equal(new Set(seen.map(tokens => tokens?.refreshToken)).size, 3)
})

t.test('a response without a token is an error', async t => {
  const fetch = async () => Response.json({ token_type: 'bearer' })
  const client = createClient({ url: 'http://127.0.0.1', auth: passwordAuth, fetch })
  await t.rejects(client.token(), { name: 'ResponseError', status: 200 })
})

t.test('a token is renewed before it expires; until then nobody waits for that', async t => {
  const { net, clock, connect, grantsSent } = await start(t)
  const renewed = Promise.withResolvers<unknown>()
  const client = connect({
    ...passwordAuth,
    onTokens: () => grantsSent().length > 1 && renewed.resolve(null)
  })
  await client.request(names)
  clock.pass(day - 59_000)
  net.fail(
    '/oauth/token',
    { status: 503 },
    { status: 503 },
    { status: 503 },
    { status: 503 },
    { status: 503 }
  )
  await Promise.all([client.request(names), client.request(names)])
  await client.request(names)
  clock.pass(6000)
  await client.request(names)
  await renewed.promise
  t.same(new Set(grantsSent().slice(1)), new Set(['refresh_token']))
  clock.pass(day / 2)
  const before = grantsSent().length
  await client.request(names)
  t.equal(grantsSent().length, before)
})

t.test('after its login was revoked, a client with credentials logs in again', async t => {
  const { db, connect, grantsSent } = await start(t)
  let tokens: Tokens | undefined
  const client = connect({
    ...passwordAuth,
    onTokens: given => {
      tokens = given ?? tokens
    }
  })
  await client.request(names)
  await users.disable(db, user.email)
  await users.enable(db, user.email)
  t.same(await client.request(names), { allProducts: [{ name: 'template 0' }] })
  t.same(grantsSent(), ['password', 'refresh_token', 'password'])
  await client.logout()
  const other = connect({
    grant: 'refresh_token',
    clientId,
    clientSecret,
    refreshToken: tokens?.refreshToken ?? ''
  })
  await t.rejects(other.request(names), { name: 'LoginRequiredError', cause: { code: 'invalid_grant' } })
  const sent = grantsSent().length
  await t.rejects(other.request(names), LoginRequiredError)
  t.equal(grantsSent().length, sent, 'a refresh token that was refused is not sent again')
})

t.test('tokens can be kept, and given to another client', async t => {
  const { connect, grantsSent } = await start(t)
  const kept = Promise.withResolvers<Tokens | undefined>()
  await connect({ ...passwordAuth, onTokens: kept.resolve }).request(names)
  const json = JSON.parse(JSON.stringify(await kept.promise)) as Tokens
  const client = connect({ grant: 'refresh_token', clientId, clientSecret, refreshToken: '', tokens: json })
  await client.request(names)
  t.same(grantsSent(), ['password'])
  await client.logout()
  await t.rejects(client.request(names), LoginRequiredError)
  await t.rejects(connect(json.accessToken).request(names), {
    name: 'GraphQLResponseError',
    codes: ['INVALID_TOKEN']
  })
})

t.test('a token function is asked again once after a refusal', async t => {
  const { connect, net } = await start(t)
  const good = Promise.withResolvers<Tokens | undefined>()
  await connect({ grant: 'client_credentials', clientId, clientSecret, onTokens: good.resolve }).request(
    names
  )
  const tokens = ['old', (await good.promise)?.accessToken ?? '']
  await connect(() => tokens.shift() ?? '').request(names)
  const before = net.requests.length
  await t.rejects(connect('wrong').request(names), { name: 'GraphQLResponseError', status: 401 })
  t.equal(net.requests.length, before + 1)
})

t.test('wrong credentials are reported at once, with a code', async t => {
  const { connect, net } = await start(t)
  const client = connect({ ...passwordAuth, password: 'wrong' })
  const all = await Promise.allSettled([client.request(names), client.request(names)])
  for (const { status, reason } of all as PromiseRejectedResult[]) {
    t.equal(status, 'rejected')
    t.ok(reason instanceof OAuthError)
    t.match(reason, { code: 'invalid_grant', status: 400 })
  }
  t.equal(net.requests.length, 1)
  await t.rejects(connect({ ...passwordAuth, clientSecret: 'ünknöwn:' }).request(names), {
    code: 'invalid_client'
  })
})

t.test('who stops waiting does not stop the login of the others', async t => {
  const { connect, net, clock } = await start(t)
  const client = connect(passwordAuth)
  net.fail('/oauth/token', { status: 503 })
  const paused = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  clock.onPause = () => {
    paused.resolve()
    return go.promise
  }
  const impatient = new AbortController()
  const left = client.request(names, {}, { signal: impatient.signal })
  const stayed = client.request(names)
  await paused.promise
  impatient.abort(new Error('enough'))
  await t.rejects(left, { message: 'enough' })
  go.resolve()
  t.same(await stayed, { allProducts: [{ name: 'template 0' }] })
  t.same(net.requests, ['POST /oauth/token', 'POST /oauth/token', 'POST /graphql'])
})
