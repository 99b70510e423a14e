/** The login page: passwords, sessions, consent, logout. RFC 9700 §4, OWASP session management. */

import { type Test, t } from 'tap'
import { runQueuedHash } from '../../../accounts/credentials/hash-queue.ts'
import { revokeConsent } from '../../../accounts/users.ts'
import { updateStoredClient } from '../../../db/accounts/clients.ts'
import { addConsent, listConsents } from '../../../db/accounts/logins/consents.ts'
import { findUserByEmail, setUserDisabled, updatePassword } from '../../../db/accounts/users.ts'
import { noActor } from '../../../db/audit/record.ts'
import type { Db } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { secondsFromNow } from '../../../domain/timestamp.ts'
import { productTemplates } from '../../../index.ts'
import { Metrics } from '../../../runtime/metrics/metrics.ts'
import { parseMetrics } from '../../metrics/scrape.ts'
import {
  addWebClient,
  authorization,
  authorizePath,
  hiddenFields,
  login,
  pkce,
  redirectUri,
  TestBrowser,
  type Visit
} from '../../support/browser/browser.ts'
import { runBetween } from '../../support/database/run-between.ts'
import { oauthError, tokenRequest } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { secret } from '../../support/service/secrets.ts'
import {
  addClient,
  addUser,
  cheapHash,
  database,
  host,
  service,
  user
} from '../../support/service/service.ts'

const wrong = { ...login, password: secret('wrong') }
const problem = 'E-mail address or password is wrong.'

const grants = { grantTypes: ['authorization_code'], isPublic: true, redirectUris: [redirectUri] }

async function start(t: Test, options = {}) {
  const { app, db, url } = await service(t, options)
  await addWebClient(db)
  await addClient(db, { id: 'guest', ...grants, displayName: 'Guest <App>' })
  const browser = new TestBrowser(url)
  const ask = (more: Record<string, string | undefined> = {}, by = browser) =>
    by.visit(authorizePath(authorization({ client_id: 'web', ...more })))
  return { app, db, url, browser, ask }
}

function granted(t: Test, { status, location }: Visit, about = '', expected = 302) {
  t.equal(status, expected, about)
  t.ok(location?.href.startsWith(`${redirectUri}?code=`), about)
  t.notOk(location?.searchParams.has('error'), about)
}

t.test('P20 P23 a login leads to the client and is remembered', async t => {
  const { url, browser, ask } = await start(t)
  const page = await ask()
  const before = browser.cookies.get('product-session')
  const answer = await browser.submit(page, login)
  granted(t, answer, 'login', 303)
  t.equal(answer.location?.searchParams.get('iss'), url)
  t.equal(answer.location?.searchParams.get('state'), secret('state'))
  const [cookie = ''] = answer.headers.getSetCookie()
  t.match(cookie, /^product-session=[\w-]{43}; Path=\/oauth; HttpOnly; SameSite=Lax$/)
  t.not(browser.cookies.get('product-session'), before, 'a new cookie, against session fixation')
  granted(t, await ask(), 'the second time without a page')
  t.equal((await ask({}, new TestBrowser(url))).status, 200, 'another browser is asked')
})

t.test('P18 prompt and max_age ask again', async t => {
  const { browser, ask } = await start(t)
  await browser.submit(await ask(), login)
  granted(t, await ask({ prompt: 'none' }))
  granted(t, await ask({ max_age: '1000' }))
  for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
    const page = await ask(more)
    t.match(page.text, 'name="password"')
    granted(t, await browser.submit(page, login), 'after the login', 303)
  }
  const consent = await ask({ prompt: 'consent' })
  t.match(consent.text, 'Allow access?')
  granted(t, await browser.submit(consent, { decision: 'allow' }), 'after the consent', 303)
})

t.test('P19 a user can cancel', async t => {
  const { browser, ask } = await start(t)
  const { status, location } = await browser.submit(await ask(), { decision: 'cancel' })
  t.equal(status, 303)
  t.equal(location?.searchParams.get('error'), 'access_denied')
})

t.test('P21 every failed login looks the same', async t => {
  const { db, ask, browser } = await start(t)
  await addUser(db, { email: 'off@example.com' })
  await setUserDisabled(db, 'off@example.com', true)
  const logins = [
    wrong,
    { ...login, username: 'nobody@example.com' },
    { ...login, username: 'off@example.com' },
    { ...login, username: `${'x'.repeat(400)}@example.com` },
    { ...login, password: '' }
  ]
  const pages = new Set<string>()
  for (const login of logins) {
    const { status, text, location } = await browser.submit(await ask(), login)
    t.same([status, location], [200, undefined])
    t.match(text, problem)
    t.match(text, `required value="${login.username}"`, 'what was typed stays')
    pages.add(text.replace(/name="code_challenge" value="[^"]*"/, '').replace(login.username, ''))
  }
  t.equal(pages.size, 1)
})

t.test('P21 the limit of failed logins is that of the account', async t => {
  const metricsRegistry = new Metrics()
  const { ask, browser } = await start(t, { accountLimit: 2, metricsRegistry })
  for (let turn = 0; turn < 2; turn++) t.match((await browser.submit(await ask(), wrong)).text, problem)
  const { sum } = parseMetrics((await metricsRegistry.text()).text)
  t.equal(sum('logins_total', { outcome: 'refused' }), 2)
  t.equal(sum('logins_total'), 2)
  const locked = await browser.submit(await ask(), login)
  t.equal(locked.status, 429)
  t.ok(Number(locked.headers.get('retry-after')) > 0)
  t.match(locked.text, 'Too many failed logins')
})

t.test('P21 a login that a full queue of hashes refuses is not a failed login', async t => {
  const metricsRegistry = new Metrics()
  const { url, ask, browser } = await start(t, { accountLimit: 1, metricsRegistry })
  const page = await ask()
  const { promise: hashed, resolve: finish } = Promise.withResolvers<void>()
  const jobs = Promise.allSettled(Array.from({ length: 50 }, () => runQueuedHash(() => hashed)))
  t.teardown(finish)
  const busy = await browser.submit(page, login)
  t.same([busy.status, busy.headers.get('retry-after')], [503, '1'])
  t.match(busy.text, 'The service is busy')
  t.same(await oauthError(t, await tokenRequest(url)), [503, 'temporarily_unavailable'])
  finish()
  await jobs
  const { sum } = parseMetrics((await metricsRegistry.text()).text)
  t.same([sum('logins_total', { outcome: 'busy' }), sum('logins_total')], [2, 2])
  granted(t, await browser.submit(busy, login), 'although one failure locks the account', 303)
})

t.test('P22 a form of another site, another browser or an old page is refused', async t => {
  const { url, ask, browser } = await start(t, { accountLimit: 1 })
  const page = await ask()
  const { csrf: _csrf, ...without } = hiddenFields(page.text)
  const other = new TestBrowser(url)
  const foreign = hiddenFields((await ask({}, other)).text).csrf as string
  const attempts = [
    browser.post('/oauth/authorize', { ...without, ...wrong }),
    browser.post('/oauth/authorize', { ...without, ...wrong, csrf: foreign }),
    new TestBrowser(url).submit(page, wrong),
    browser.submit(page, wrong, { origin: 'https://evil.example' }),
    browser.submit(page, wrong, { 'sec-fetch-site': 'cross-site' }),
    browser.submit(page, wrong, { origin: 'null', 'sec-fetch-site': 'same-site' }),
    browser.submit(page, { decision: 'everything' }),
    browser.submit(page, { decision: 'constructor' }),
    browser.submit(page, { decision: '__proto__' })
  ]
  for (const { status, text } of await Promise.all(attempts)) {
    t.equal(status, 403)
    t.match(text, /this form has expired/i)
  }
  const own = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
  granted(t, await browser.submit(page, login, own), 'no attempt counted against the account', 303)
  const old = await browser.submit(page, login)
  t.equal(old.status, 403, 'the form from before the login')
})

t.test('P22 after a login in another tab, an old page continues without a change', async t => {
  const { url, browser, ask } = await start(t)
  /** Follows the link of a page. */
  const go = (page: Visit) => {
    const [, path = ''] = /<a href="([^"]*)">Continue/.exec(page.text) ?? []
    return browser.visit(`/oauth/${path.replaceAll('&amp;', '&')}`)
  }
  const state = `<"'&=é+ ${secret('state')}`
  const [tab, other] = [await ask({ state }), await ask()]
  await browser.submit(other, login)
  const refused = await browser.submit(tab, login)
  t.same([refused.status, refused.location], [403, undefined])
  const done = await go(refused)
  granted(t, done, 'the same request')
  t.equal(done.location?.searchParams.get('state'), state)
  const cancelled = await browser.submit(tab, { decision: 'cancel' })
  t.same([cancelled.status, cancelled.location], [403, undefined])
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    t.notMatch((await browser.submit(tab, login, headers)).text, '<a', 'nothing for another site')

  const pages = [await browser.visit('/oauth/logout'), await browser.visit('/oauth/account')]
  await browser.submit(await ask({ prompt: 'login' }), login)
  for (const [index, expected] of ['Log out?', 'Change the password'].entries()) {
    const page = await browser.submit(pages[index] as Visit, { decision: 'everywhere' })
    t.equal(page.status, 403, expected)
    t.match((await go(page)).text, expected)
  }
  granted(t, await ask(), 'still logged in')
  const without = new TestBrowser(url)
  const page = await ask({}, without)
  without.cookies.clear()
  t.match((await without.submit(page, login)).text, 'your browser keeps no cookies')
})

t.test('P23 a session ends with a new password, a disabled user, its time', async t => {
  const { db, ask, browser } = await start(t)
  const logIn = async () => granted(t, await browser.submit(await ask(), login), '', 303)
  const sessions = db.selectFrom('product_session').select(['hash', 'user_id'])
  await logIn()
  const [row] = await sessions.execute()
  t.match(row?.hash, /^[0-9a-f]{64}$/, 'stored as a hash')
  t.not(row?.hash, browser.cookies.get('product-session'))
  const passwordHash = (await findUserByEmail(db, user.email))?.passwordHash as string
  const long = '2020-01-01T00:00:00.000000Z'
  const future = secondsFromNow(3600)
  const ends: [string, () => Promise<unknown>][] = [
    ['password', () => updatePassword(db, user.email, passwordHash)],
    ['idle', () => db.updateTable('product_session').set({ time_used: long }).execute()],
    ['absolute', () => db.updateTable('product_session').set({ time_created: long }).execute()],
    ['future', () => db.updateTable('product_session').set({ time_created: future }).execute()]
  ]
  for (const [name, end] of ends) {
    granted(t, await ask(), `before: ${name}`)
    await end()
    t.match((await ask()).text, 'name="password"', name)
    await logIn()
  }
  await setUserDisabled(db, user.email, true)
  t.match((await ask()).text, 'name="password"', 'disabled')
  t.match((await browser.submit(await ask(), login)).text, problem)
})

t.test('P23 a session that is used does not become idle', async t => {
  const { db, browser, ask } = await start(t)
  await browser.submit(await ask(), login)
  const aWhileAgo = new Date(Date.now() - 3_000_000).toISOString().replace('Z', '000Z')
  await db.updateTable('product_session').set({ time_used: aWhileAgo }).execute()
  granted(t, await ask())
  const { time_used } = await db.selectFrom('product_session').select('time_used').executeTakeFirstOrThrow()
  t.ok(time_used > aWhileAgo, time_used)
})

t.test('P23 P36 no session begins for a user who changed while the password was checked', async t => {
  const changes: ((db: Db) => Promise<void>)[] = [
    db => updatePassword(db, user.email, 'another hash'),
    db => setUserDisabled(db, user.email, true),
    async db => void (await db.deleteFrom('product_user').execute())
  ]
  for (const change of changes) {
    const db = await database(t)
    await addUser(db)
    await addWebClient(db)
    const app = host(t)
    const changing = runBetween(db, 'product_user_wallet', () => change(db))
    await app.register(productTemplates, { db: changing, ...cheapHash })
    const browser = new TestBrowser(await app.listen({ port: 0, host: '127.0.0.1' }))
    const page = await browser.visit(authorizePath(authorization({ client_id: 'web' })))
    t.match((await browser.submit(page, login)).text, problem)
    t.same(await db.selectFrom('product_session').select('hash').execute(), [])
  }
})

t.test('P23 with TLS only this host can set the cookie', async t => {
  const root = await start(t, { issuer: 'https://shop.example' })
  const [cookie = ''] = (await root.ask()).headers.getSetCookie()
  t.match(cookie, /^__Host-product-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const below = await start(t, { issuer: 'https://shop.example/templates' })
  const [prefixed = ''] = (await below.ask()).headers.getSetCookie()
  t.match(prefixed, /^__Secure-product-session=[\w-]{43}; Path=\/templates\/oauth; HttpOnly; Secure/)
})

t.test('P42 a semicolon in the path of the service ends no cookie', async t => {
  const paths = { '/a;b': '/', '/shop/a;b': '/shop', '/shop;a/b': '/', '/a%3Bb': '/a%3Bb/oauth' }
  for (const [path, expected] of Object.entries(paths)) {
    const { ask } = await start(t, { issuer: `http://shop.example${path}` })
    const { status, headers } = await ask()
    t.equal(status, 200, path)
    t.match(headers.getSetCookie()[0], `; Path=${expected}; HttpOnly`, path)
  }
})

t.test('P24 logging out takes a form', async t => {
  const { url, browser, ask } = await start(t)
  t.match((await browser.visit('/oauth/logout')).text, 'You are logged out')
  await browser.submit(await ask(), login)
  const page = await browser.visit('/oauth/logout')
  t.match(page.text, 'Log out?')
  granted(t, await ask(), 'the question ends nothing')
  t.equal((await browser.post('/oauth/logout', {})).status, 403)
  const thief = new TestBrowser(url)
  const steal = () => {
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value)
  }
  steal()
  const done = await browser.submit(page, {})
  t.same([done.status, /You are logged out/.test(done.text)], [200, true])
  t.match((await ask()).text, 'name="password"')
  t.match((await ask({}, thief)).text, 'name="password"', 'also for who has the old cookie')
  await browser.submit(await ask(), login)
  steal()
  await browser.submit(await ask({ prompt: 'login' }), login)
  t.match((await ask({}, thief)).text, 'name="password"', 'and so does the next login of the browser')
})

t.test('P25 a client of others needs the consent of the user, once', async t => {
  const { db, browser, ask } = await start(t)
  const id = (await findUserByEmail(db, user.email))?.id as string
  const parties = { userId: id, clientId: 'guest' }
  const guest = (more = {}) => ask({ client_id: 'guest', ...more })
  const page = await browser.submit(await guest(), login)
  t.equal(page.status, 200)
  t.match(page.text, 'Guest &lt;App&gt;')
  t.match(page.text, user.email)
  t.match(page.text, 'Read product templates')
  t.match(page.text, '<strong>app.example</strong>')
  const none = await guest({ prompt: 'none' })
  t.equal(none.location?.searchParams.get('error'), 'consent_required')
  t.equal(
    (await browser.submit(page, { decision: 'cancel' })).location?.searchParams.get('error'),
    'access_denied'
  )
  t.same(await listConsents(db, id), [])
  granted(t, await browser.submit(page, { decision: 'allow' }), 'allowed', 303)
  granted(t, await guest(), 'remembered')
  t.match((await guest({ scope: 'read write' })).text, 'Create, change and delete', 'more scopes')
  await transact(db, transaction => addConsent(transaction, parties, ['write']))
  granted(t, await guest({ scope: 'read write' }))
  await updateStoredClient(db, 'guest', { scopes: ['read', 'write', 'profile'] })
  const profile = await guest({ scope: undefined })
  t.match(profile.text, 'Read your name, country, mobile number and wallet addresses')
  granted(t, await browser.submit(profile, { decision: 'allow' }), 'the profile, too', 303)
  t.same(await listConsents(db, id), [{ clientId: 'guest', scopes: ['read', 'write', 'profile'] }])
  await revokeConsent(db, user.email, 'guest', noActor)
  await t.rejects(revokeConsent(db, user.email, 'guest', noActor), { code: 'PTS_ACCOUNT_MISSING' })
  t.match((await guest()).text, 'Allow access?', 'revoked')
  const another = await browser.submit(await guest(), { decision: 'switch' })
  t.match(another.text, 'name="password"', 'another account')
})

t.test('P25 a user allows what the page shows, also if the client may have more meanwhile', async t => {
  const { db, browser, ask } = await start(t)
  const id = (await findUserByEmail(db, user.email))?.id as string
  await updateStoredClient(db, 'guest', { scopes: ['read'] })
  const page = await browser.submit(await ask({ client_id: 'guest', scope: undefined }), login)
  t.notMatch(page.text, 'Create, change and delete')
  await updateStoredClient(db, 'guest', { scopes: ['read', 'write'] })
  granted(t, await browser.submit(page, { decision: 'allow' }), 'allowed', 303)
  t.same(await listConsents(db, id), [{ clientId: 'guest', scopes: ['read'] }])
})

t.test(
  'P25 P36 a consent needs a login that has not ended, and is as new as the client asked for',
  async t => {
    const { db, browser, ask } = await start(t)
    const guest = (more = {}) => ask({ client_id: 'guest', ...more })
    const allow = (page: Visit) => browser.submit(page, { decision: 'allow' })
    const old = new Date(Date.now() - 700_000).toISOString().replace('Z', '000Z')
    const age = () => db.updateTable('product_session').set({ time_created: old }).execute()
    const asked = await browser.submit(await guest({ prompt: 'login' }), login)
    await age()
    t.match((await allow(asked)).text, 'name="password"', 'prompt=login, eleven minutes ago')
    const young = await browser.submit(await guest({ max_age: '60' }), login)
    await age()
    t.match((await allow(young)).text, 'name="password"', 'max_age=60')
    const page = await guest()
    t.match(page.text, 'Allow access?')
    await setUserDisabled(db, user.email, true)
    const { status, text, location } = await allow(page)
    t.same([status, location], [200, undefined])
    t.match(text, 'name="password"', 'disabled meanwhile')
    t.same(await db.selectFrom('product_consent').selectAll().execute(), [])
    t.same(await db.selectFrom('product_authorization_code').selectAll().execute(), [])
  }
)

t.test('P18 P25 only the page that asks for consent can give it', async t => {
  const { browser, ask } = await start(t)
  const guest = (more = {}) => ask({ client_id: 'guest', ...more })
  const allow = (page: Visit, fields = {}) => browser.submit(page, { decision: 'allow', ...fields })
  const page = await browser.submit(await guest(), login)
  t.match(page.text, 'Allow access?')
  for (const more of [{ prompt: 'login' }, { max_age: '0' }]) {
    for (const client_id of ['guest', 'web']) {
      const asked = await ask({ client_id, ...more })
      t.match(asked.text, 'name="password"')
      const { consent } = hiddenFields(page.text)
      for (const fields of [{}, { consent }, { consent: '' }]) {
        const answer = await allow(asked, fields)
        t.same([answer.status, answer.location], [200, undefined], `${client_id} ${JSON.stringify(more)}`)
        t.match(answer.text, 'name="password"', 'the login form gives no consent')
      }
    }
  }
  for (const fields of [{ scope: 'read write' }, { prompt: 'login' }, { redirect_uri: `${redirectUri}?` }])
    t.not((await allow(page, fields)).status, 303, `not for a changed request: ${JSON.stringify(fields)}`)
  granted(t, await allow(page), 'as it was shown', 303)
})

t.test('P25 the page names an app by its scheme', async t => {
  const { db, browser, ask } = await start(t)
  const uri = 'com.example.app://bank.example/callback'
  await updateStoredClient(db, 'guest', { redirectUris: [uri] })
  const page = await browser.submit(await ask({ client_id: 'guest', redirect_uri: uri }), login)
  t.match(page.text, '<strong>the app com.example.app</strong>')
})

t.test('P42 copies in one host and on one database share no session', async t => {
  const db = await database(t)
  await addUser(db)
  await addWebClient(db)
  const app = host(t)
  const prefixes = ['/shop', '/shop/templates', '']
  for (const prefix of prefixes) await app.register(productTemplates, { db, ...cheapHash, prefix })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const path = authorizePath(authorization({ client_id: 'web' }))
  const [first, ...others] = prefixes.map(prefix => new TestBrowser(origin + prefix)) as [TestBrowser]
  granted(t, await first.submit(await first.visit(path), login), 'the first', 303)
  for (const other of others as TestBrowser[]) {
    for (const [name, value] of first.cookies) other.cookies.set(name, value)
    t.match((await other.visit(path)).text, 'name="password"')
  }
})

t.test('P42 copies of the service under two prefixes share no session', async t => {
  const { db, url: first } = await service(t, { prefix: '/first' })
  const { db: other, url: second } = await service(t, { prefix: '/second' })
  for (const store of [db, other]) await addWebClient(store)
  const path = authorizePath(authorization({ client_id: 'web' }))
  const browser = new TestBrowser(first)
  const page = await browser.visit(path)
  t.match(page.headers.getSetCookie()[0], 'Path=/first/oauth')
  granted(t, await browser.submit(page, login), 'below the prefix', 303)
  const elsewhere = new TestBrowser(second)
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
  t.match((await elsewhere.visit(path)).text, 'name="password"')
})

t.test('P41 the log has each decision, and none of the secrets', async t => {
  const { db, lines, url } = await loggedService(t)
  await addWebClient(db)
  const { verifier, challenge } = pkce()
  const path = authorizePath(authorization({ client_id: 'web', code_challenge: challenge }))
  const browser = new TestBrowser(url)
  await browser.submit(await browser.visit(path), wrong)
  const old = browser.cookies.get('product-session') as string
  const { location } = await browser.submit(await browser.visit(path), login)
  const code = location?.searchParams.get('code') as string
  const form = { grant_type: 'authorization_code', client_id: 'web', redirect_uri: redirectUri, code }
  await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, code_verifier: verifier })
  })
  await browser.visit(`${path}&prompt=none&request=x`)
  await browser.submit(await browser.visit('/oauth/logout'), {})
  await addClient(db, { id: 'guest', ...grants })
  const ofGuest = await browser.visit(authorizePath(authorization({ client_id: 'guest' })))
  const consent = await browser.submit(ofGuest, login)
  await browser.submit(consent, { decision: 'switch' })
  const said = lines.map(({ msg }) => msg)
  const decisions = {
    'login refused': 1,
    'user logged in': 2,
    'authorization granted': 1,
    'token issued': 1,
    'authorization refused': 1,
    'user logged out': 2
  }
  for (const [decision, count] of Object.entries(decisions))
    t.equal(said.filter(msg => msg === decision).length, count, decision)
  const text = JSON.stringify(lines)
  const secrets = [
    code,
    verifier,
    secret('state'),
    old,
    browser.cookies.get('product-session'),
    user.password
  ]
  for (const value of secrets) t.notOk(text.includes(value as string))
  t.notMatch(text, 'code_challenge', 'no query string')
})
