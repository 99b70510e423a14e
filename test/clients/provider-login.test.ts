// Runs in test:all only.
/** Logging in at an OpenID provider, from the login page. The provider is node-oidc-provider. */
import { sql } from 'kysely'
import type { Configuration } from 'oidc-provider'
import { type Test, t } from 'tap'
import { withProviders } from '../../features/providers/rows.ts'
import { productTemplates, type ServiceOptions } from '../../index.ts'
import { clients, users } from '../../store.ts'
import { launch } from '../explorer/browse.ts'
import {
  authorization,
  authorizePath,
  hiddenFields,
  redirectUri,
  TestBrowser,
  type Visit
} from '../support/browser/browser.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { basic, tokenRequest } from '../support/http/http.ts'
import { makeKey } from '../support/identity/issuer.ts'
import { needs } from '../support/programs.ts'
import { asciiSecret } from '../support/service/secrets.ts'
import { addClient, cheapHash, host, service, user } from '../support/service/service.ts'
import { startProvider } from './provider.ts'

const key = await makeKey('first')

/** People of the provider, by the names that they log in with. */
const people: Record<string, object> = {
  dana: { email: 'Dana@Corp.example', email_verified: true, given_name: 'Dana', family_name: 'Moreau' },
  unverified: { email: 'eve@corp.example', email_verified: false },
  outsider: { email: 'dana@corp.example.evil.example', email_verified: true },
  staff: { email: 'sam@elsewhere.example', groups: ['staff'] },
  liar: { email: 'boss@elsewhere.example', email_verified: false, groups: ['staff'] },
  // Some providers send the claim as a text.
  deceiver: { email: 'deceiver@elsewhere.example', email_verified: 'false', groups: ['staff'] },
  texter: { email: 'texter@corp.example', email_verified: 'true' },
  member: { email: 'member@elsewhere.example', groups: ['staff'] },
  odd: { email: 'x\u202E@corp.example', email_verified: true },
  // The address of the user of this service.
  ada: { email: user.email, email_verified: true },
  nameless: { groups: ['staff'] }
}

/** What the ID tokens tell. The userinfo endpoint tells the rest. */
const inIdToken: Record<string, object> = { member: { email: 'member@elsewhere.example' } }

const configuration: Configuration = {
  conformIdTokenClaims: false,
  claims: { email: ['email', 'email_verified'], profile: ['given_name', 'family_name'], groups: ['groups'] },
  scopes: ['openid', 'groups'],
  findAccount: (_context, id) => ({
    accountId: id,
    claims: async use => ({ sub: id, ...(use === 'id_token' ? inIdToken : people)[id] })
  })
}

/** Starts a provider, and a service with it on its login page. */
async function start(t: Test, entry: object = {}, options: ServiceOptions = {}) {
  const provider = await startProvider(t)
  const credentials = { client_id: 'templates', client_secret: asciiSecret('provider') }
  const { issuer } = provider
  const create = { domains: ['corp.example'] }
  const loginProviders = JSON.stringify([
    { id: 'corp', name: 'Corp', issuer, ...credentials, scope: 'profile email groups', create, ...entry }
  ])
  const running = await service(t, { loginProviders, ...options })
  await addClient(running.db, {
    id: 'app',
    grantTypes: ['authorization_code'],
    redirectUris: [redirectUri],
    firstParty: true
  })
  const redirect_uris = [`${running.url}/oauth/login/callback/corp`]
  await provider.serve({ ...credentials, redirect_uris }, [key], configuration)
  return { ...running, provider }
}

/** A browser that can go to the provider, too. */
class TravellingBrowser extends TestBrowser {
  readonly #elsewhere: TestBrowser
  readonly #service: string

  constructor(url: string, issuer: string) {
    super(url)
    this.#service = url
    this.#elsewhere = new TestBrowser(issuer)
  }

  /** Follows redirects until a page, or until the client of the service. */
  async follow(visit: Visit): Promise<Visit> {
    let current = visit
    while (current.location && !current.location.href.startsWith(redirectUri)) {
      const { origin, pathname, search } = current.location
      const browser = origin === this.#service ? this : this.#elsewhere
      current = await browser.visit(`${pathname}${search}`)
    }
    return current
  }

  /** Opens the login page of a client, and chooses the provider; returns the redirect to it. */
  async choose(parameters: Record<string, string> = {}): Promise<Visit> {
    const page = await this.visit(authorizePath(authorization({ client_id: 'app', ...parameters })))
    return this.submit(page, { decision: 'provider:corp' })
  }

  /** Logs in at the provider, which shows its own pages; returns where the browser ends up. */
  async logInAt(visit: Visit, login: string): Promise<Visit> {
    let page = await this.follow(visit)
    for (const form of [{ prompt: 'login', login, password: 'x' }, { prompt: 'consent' }]) {
      const [, action] = /action="([^"]+)"/.exec(page.text) ?? []
      if (!action?.includes('/interaction/')) break
      const url = new URL(action)
      page = await this.follow(await this.#elsewhere.post(`${url.pathname}${url.search}`, form))
    }
    return page
  }
}

const usersOf = ({ db }: Awaited<ReturnType<typeof start>>) =>
  db
    .selectFrom('product_user')
    .select(['id', 'email', 'first_name', 'role', 'template_where'])
    .orderBy('email')
    .execute()

t.test(
  'P43 the first login makes an account, the next one finds it, whatever its e-mail address is',
  async t => {
    const running = await start(t)
    const { url, db, provider } = running
    const browser = new TravellingBrowser(url, provider.issuer)
    const chosen = await browser.choose()
    t.equal(chosen.location?.origin, provider.issuer)
    t.match(Object.fromEntries(chosen.location?.searchParams ?? []), {
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile email groups',
      state: /^.{43}$/,
      nonce: /^.{43}$/
    })
    const { location } = await browser.logInAt(chosen, 'dana')
    t.ok(location?.searchParams.get('code'), 'the client gets its code')
    const stored = await usersOf(running)
    t.match(stored, [
      { email: user.email },
      { email: 'dana@corp.example', first_name: 'Dana', role: 'reader' }
    ])
    t.ok((await browser.visit(authorizePath(authorization({ client_id: 'app' })))).location, 'logged in')

    people.dana = { ...people.dana, email: 'other@corp.example' }
    const another = new TravellingBrowser(url, provider.issuer)
    const again = await another.logInAt(await another.choose({ prompt: 'login', max_age: '0' }), 'dana')
    t.ok(again.location?.searchParams.get('code'), 'also if a new login is asked for')
    t.same(await usersOf(running), stored)
    const login = await tokenRequest(url, { username: 'dana@corp.example', password: 'x' })
    t.equal(login.status, 400, 'there is no password')

    await users.disable(db, 'dana@corp.example')
    const third = new TravellingBrowser(url, provider.issuer)
    const refused = await third.logInAt(await third.choose(), 'dana')
    t.match([refused.status, refused.text], [403, /You are not logged in/])
  }
)

t.test('P44 nobody else gets an account, and an e-mail address gives access to none', async t => {
  const running = await start(t)
  const { url, provider } = running
  for (const name of ['unverified', 'outsider', 'staff', 'ada', 'nameless', 'odd']) {
    const browser = new TravellingBrowser(url, provider.issuer)
    const { status, text } = await browser.logInAt(await browser.choose({ prompt: 'login' }), name)
    t.match([status, text], [403, /You are not logged in/], name)
    t.match(text, /href="\.\.\/\.\.\/authorize\?[^"]*client_id=app[^"]*prompt=login/, 'and can try again')
  }
  t.equal((await usersOf(running)).length, 1)
  const texter = new TravellingBrowser(url, provider.issuer)
  t.equal((await texter.logInAt(await texter.choose(), 'texter')).status, 302)

  const byGroup = await start(t, {
    create: { claim: 'groups', values: ['staff'], role: 'editor', where: { id: { gt: 4 } } }
  })
  const expectations = { staff: 302, member: 302, liar: 403, deceiver: 403, dana: 403, nameless: 403 }
  for (const [name, expected] of Object.entries(expectations)) {
    const browser = new TravellingBrowser(byGroup.url, byGroup.provider.issuer)
    t.equal((await browser.logInAt(await browser.choose(), name)).status, expected, name)
  }
  t.match(await usersOf(byGroup), [
    {},
    { email: 'member@elsewhere.example', role: 'editor' },
    { email: 'sam@elsewhere.example', role: 'editor', template_where: '{"id":{"gt":4}}' }
  ])

  const nobody = await start(t, { create: undefined })
  const browser = new TravellingBrowser(nobody.url, nobody.provider.issuer)
  t.equal((await browser.logInAt(await browser.choose(), 'dana')).status, 403)
})

t.test('P45 a response works once, in the browser that began the login, and only as it was sent', async t => {
  const { url, provider } = await start(t)
  const browser = new TravellingBrowser(url, provider.issuer)
  const responses: string[] = []
  const watched = new TravellingBrowser(url, provider.issuer)
  // Stops before the callback.
  const original = watched.visit.bind(watched)
  watched.visit = async (path, init) => {
    if (!path.startsWith('/oauth/login/callback/')) return original(path, init)
    responses.push(path)
    return { status: 200, headers: new Headers(), text: '', location: undefined }
  }
  const respond = async () => {
    await watched.logInAt(await watched.choose({ prompt: 'login' }), 'dana')
    return responses.at(-1) as string
  }
  const response = await respond()
  t.equal((await browser.visit(response)).status, 403, 'another browser')
  await browser.choose()
  t.equal((await browser.visit(response)).status, 403, 'another browser, which has begun a login')
  const changed = (change: (parameters: URLSearchParams) => void) => {
    const [path, query] = response.split('?')
    const parameters = new URLSearchParams(query)
    change(parameters)
    return `${path}?${parameters}`
  }
  t.equal((await original(changed(parameters => parameters.set('state', 'x')))).status, 403, 'another state')
  t.equal((await original(changed(parameters => parameters.delete('state')))).status, 403, 'no state')
  t.equal((await original(response.replace('/corp?', '/other?'))).status, 403, 'of another provider')
  const next = await respond()
  t.equal((await original(next)).status, 303, 'the same browser')
  t.equal((await original(next)).status, 403, 'a second time')
  t.equal((await original(response)).status, 403, 'a second time')
  for (const change of [
    (parameters: URLSearchParams) => parameters.set('iss', 'https://evil.example'),
    (parameters: URLSearchParams) => parameters.set('code', 'x'),
    (parameters: URLSearchParams) => {
      parameters.delete('code')
      parameters.set('error', 'access_denied')
    }
  ]) {
    const next = await respond()
    const [path, query] = next.split('?')
    const parameters = new URLSearchParams(query)
    change(parameters)
    t.match(await original(`${path}?${parameters}`), { status: 403, text: /You are not logged in/ })
  }
})

onlyOn('sqlite', 'P45 no session begins for a user who changed during the login', async t => {
  const { url, provider, db } = await start(t)
  const browser = new TravellingBrowser(url, provider.issuer)
  t.equal((await browser.logInAt(await browser.choose(), 'dana')).status, 302)
  // The new session replaces this one after the user was read.
  await sql`create trigger change after delete on product_session begin
    update product_user set token_epoch = token_epoch + 1 where id = old.user_id; end`.execute(db)
  const { status, text } = await browser.logInAt(await browser.choose({ prompt: 'login' }), 'dana')
  t.match([status, text], [403, /You are not logged in/])
  t.same(await db.selectFrom('product_session').select('hash').execute(), [])
})

t.test('P46 without passwords there is only the provider; one that is down is 503', async t => {
  const { url, provider, db } = await start(t, {}, { passwordLogin: false })
  const browser = new TravellingBrowser(url, provider.issuer)
  const page = await browser.visit(authorizePath(authorization({ client_id: 'app' })))
  t.match(page.text, /Log in with Corp/)
  t.notMatch(page.text, /name="password"/)
  const forced = await browser.submit(page, {
    decision: 'login',
    username: user.email,
    password: user.password
  })
  t.equal(forced.status, 403)
  const grant = await tokenRequest(url)
  t.same([grant.status, ((await grant.json()) as { error: string }).error], [400, 'unauthorized_client'])
  const metadata = await fetch(`${url}/.well-known/oauth-authorization-server`)
  t.notOk(
    ((await metadata.json()) as { grant_types_supported: string[] }).grant_types_supported.includes(
      'password'
    )
  )
  t.equal((await browser.submit(page, { decision: 'provider:other' })).status, 403)
  t.ok(hiddenFields(page.text).csrf)
  t.equal((await browser.logInAt(await browser.choose(), 'dana')).status, 302)
  t.equal((await withProviders(db).selectFrom('product_provider_login').selectAll().execute()).length, 0)

  const chosen = await browser.choose({ prompt: 'login' })
  await provider.stop()
  const [, state] = /[?&]state=([^&]+)/.exec(chosen.location?.search ?? '') ?? []
  t.equal(
    (
      await browser.visit(
        `/oauth/login/callback/corp?code=x&state=${state}&iss=${encodeURIComponent(provider.issuer)}`
      )
    ).status,
    503
  )
})

t.test('P47 in a real browser, whose Enter key still sends the password', needs('chromium'), async t => {
  const { url, db } = await start(t)
  await clients.update(db, 'app', { redirectUris: [`${url}/livez`] })
  const browser = await launch(t)
  const page = await browser.newPage()
  const address = `${url}${authorizePath(authorization({ client_id: 'app', redirect_uri: `${url}/livez` }))}`
  await page.goto(address)
  await page.getByRole('button', { name: 'Log in with Corp' }).click()
  await page.fill('[name=login]', 'dana')
  await page.fill('[name=password]', 'x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/livez\?code=/)
  const other = await browser.newPage()
  await other.goto(address)
  await other.fill('[name=username]', user.email)
  await other.fill('[name=password]', user.password)
  await other.keyboard.press('Enter')
  await other.waitForURL(/livez\?code=/)
})

t.test(
  'P46 a provider that calls itself otherwise is not used; logins by password are not refreshed',
  async t => {
    const { url, db, provider } = await start(t)
    await addClient(db, { id: 'refreshing', grantTypes: ['password', 'refresh_token'] })
    const authorization = basic('refreshing')
    const login = (await (await tokenRequest(url, {}, { authorization })).json()) as Record<string, string>
    const loginProviders = JSON.stringify([
      {
        id: 'corp',
        name: 'Corp',
        issuer: `${provider.issuer}/`,
        client_id: 'x',
        client_secret: asciiSecret('x')
      }
    ])
    const app = host(t)
    await app.register(productTemplates, { db, ...cheapHash, loginProviders, passwordLogin: false })
    const other = await app.listen({ port: 0, host: '127.0.0.1' })
    t.equal((await new TravellingBrowser(other, provider.issuer).choose()).status, 503)
    const form = { grant_type: 'refresh_token', username: undefined, password: undefined }
    const refresh = (at: string) =>
      tokenRequest(at, { ...form, refresh_token: login.refresh_token }, { authorization })
    t.equal((await refresh(other)).status, 400)
    t.equal((await refresh(url)).status, 200, 'it was not used up')
  }
)
