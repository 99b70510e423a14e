// Runs on SQLite only, in test:all only.
/** Login by authorization code with PKCE, as a page does it. */
import { type Test, t } from 'tap'
import { createClient, LoginRequiredError, OAuthError, type Tokens } from '../../packages/client/index.ts'
import { addWebClient, login, redirectUri, TestBrowser } from '../support/browser/browser.ts'
import { addTemplates, service } from '../support/service/service.ts'
import { TestClock } from './clock.ts'
import { network } from './network.ts'

async function start(t: Test, more: Parameters<typeof addWebClient>[1] = {}) {
  const { db, url } = await service(t)
  await addWebClient(db, more)
  await addTemplates(db, { id: 1 })
  const browser = new TestBrowser(url)
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key)
  }
  const shown: string[] = []
  const navigate = (address: string) => void shown.push(address)
  const net = await network(t, url)
  const clock = new TestClock()
  const auth = {
    grant: 'authorization_code',
    clientId: 'web',
    redirectUri,
    storage,
    navigate,
    issuer: url
  } as const
  const connect = (more: object = {}) => createClient({ url: net.url, auth: { ...auth, ...more }, clock })
  const client = connect()
  /** Follows the login page, and returns where it leads. */
  const logIn = async (more: { decision?: string } = {}) => {
    await client.login({ prompt: 'login' })
    const { pathname, search } = new URL(shown.at(-1) as string)
    const page = await browser.visit(pathname + search)
    return (await browser.submit(page, { ...login, ...more })).location as URL
  }
  return { url, net, clock, client, connect, storage, kept, shown, logIn }
}

const names = '{ allProducts { name } }'

t.test('a page logs in, reads, renews and logs out', async t => {
  const { net, clock, client, kept, logIn } = await start(t)
  await t.rejects(client.request(names), LoginRequiredError)
  t.equal(await client.handleRedirect(redirectUri), false)
  const answer = await logIn()
  t.equal(kept.size, 1)
  net.fail('/oauth/token', 'unsent')
  const [done, data] = await Promise.all([client.handleRedirect(answer.href), client.request(names)])
  t.equal(done, true)
  t.same(data, { allProducts: [{ name: 'template 0' }] }, 'a request meanwhile waits for the tokens')
  t.equal(kept.size, 0)
  clock.pass(86_400_000)
  await client.request(names)
  t.ok(net.sent.every(({ headers }) => headers.authorization?.startsWith('Basic') !== true))
  await client.logout()
  t.equal(net.requests.at(-1), 'POST /oauth/revoke')
  await t.rejects(client.request(names), LoginRequiredError)
})

t.test('tokens that nothing can renew are reported as ended only when they have', async t => {
  const { clock, connect, logIn } = await start(t, { grantTypes: ['authorization_code'] })
  for (const end of ['expiry', 'refusal']) {
    const seen: (Tokens | undefined)[] = []
    const client = connect({ onTokens: (tokens: Tokens | undefined) => seen.push(tokens) })
    await client.handleRedirect((await logIn()).href)
    const other = connect({ tokens: seen[0] })
    clock.pass(86_400_000 - 30_000)
    await client.request(names)
    t.match(seen, [{ accessToken: String, refreshToken: undefined }], 'it is still valid')
    if (end === 'expiry') clock.pass(30_000)
    else await other.logout()
    await t.rejects(client.request(names), LoginRequiredError)
    t.same(seen.slice(1), [undefined], end)
  }
})

t.test('a response that is not from this login is refused, and no code is sent', async t => {
  const { net, client, connect, kept, logIn } = await start(t)
  const answer = await logIn()
  const changed = (name: string, value: string) => {
    const other = new URL(answer)
    other.searchParams.set(name, value)
    return other.href
  }
  await t.rejects(client.handleRedirect(changed('state', 'x')), /not begun here/)
  t.equal(kept.size, 1, 'the login can still be completed')
  await t.rejects(
    connect({ issuer: 'https://other.example' }).handleRedirect(answer.href),
    /not from https:\/\/other/
  )
  await t.rejects(client.handleRedirect(answer.href), /not begun here/, 'the verifier works once')
  const second = await logIn()
  await client.handleRedirect(second.href)
  t.same(net.requests, ['POST /oauth/token'])
})

t.test('a login that completes while an older one is renewed is the one that counts', async t => {
  for (const late of [
    () =>
      Response.json({ access_token: 'late', token_type: 'bearer', expires_in: 60, refresh_token: 'late' }),
    () => Response.json({ error: 'invalid_grant' }, { status: 400 })
  ]) {
    const { url, clock, logIn, storage } = await start(t)
    const renewal = Promise.withResolvers<Response>()
    const begun = Promise.withResolvers<void>()
    const seen: (Tokens | undefined)[] = []
    const client = createClient({
      url,
      clock,
      auth: {
        grant: 'authorization_code',
        clientId: 'web',
        redirectUri,
        storage,
        issuer: url,
        navigate() {},
        tokens: { accessToken: 'old', refreshToken: 'old', expiresAt: 0, issuedAt: 0, response: {} },
        onTokens: tokens => void seen.push(tokens)
      },
      fetch: (target, init) => {
        if (!String(init?.body).includes('grant_type=refresh_token')) return fetch(target, init)
        begun.resolve()
        return renewal.promise
      }
    })
    const early = client.token().catch(error => error)
    await begun.promise
    await client.handleRedirect((await logIn()).href)
    const token = await client.token()
    renewal.resolve(late())
    await early
    t.equal(await client.token(), token)
    t.match(seen, [{ accessToken: token }])
    t.equal(seen.length, 1)
  }
})

t.test('a refusal of the service is an OAuthError', async t => {
  const { client, logIn } = await start(t)
  const answer = await logIn({ decision: 'cancel' })
  const error = await client.handleRedirect(answer.href).catch(error => error)
  t.ok(error instanceof OAuthError)
  t.match(error, { code: 'access_denied' })
  const other = await logIn()
  other.searchParams.set('code', 'x'.repeat(43))
  await t.rejects(client.handleRedirect(other.href), {
    name: 'OAuthError',
    code: 'invalid_grant',
    status: 400
  })
})

t.test('only this grant logs in', async t => {
  const client = createClient({ url: 'http://127.0.0.1:1', auth: 'token' })
  await t.rejects(client.handleRedirect(redirectUri), /authorization_code/)
  await t.rejects(client.login(), /authorization_code/)
})
