// Runs in test:all only.
/** What users do with their own account, and links with which they set a password. */
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { createLinkToken } from '../../../accounts/passwords.ts'
import { addConsent } from '../../../db/accounts/logins/consents.ts'
import { endTokens, findUserByEmail, type StoredUser } from '../../../db/accounts/users.ts'
import { noActor } from '../../../db/audit/record.ts'
import { transact } from '../../../db/transaction.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import { users } from '../../../store.ts'
import {
  authorization,
  authorizePath,
  hiddenFields,
  login,
  pkce,
  redirectUri,
  TestBrowser
} from '../../support/browser/browser.ts'
import { onlyOn } from '../../support/database/only-on.ts'
import { runBetween } from '../../support/database/run-between.ts'
import { accessToken, basic, graphqlRequest, tokenRequest } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import { remember } from '../../support/service/secrets.ts'
import { addClient, addUser, cheapHash, host, service, user } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

const good = remember('harbour-violin-s3cr3t-kettle')

async function start(t: Test, options: ServiceOptions = {}) {
  const running = await service(t, options)
  const grantTypes = ['authorization_code']
  await addClient(running.db, { id: 'app', grantTypes, redirectUris: [redirectUri], firstParty: true })
  const { url, db } = running
  const logIn = async (password = user.password, headers = {}, username = user.email) => {
    const browser = new TestBrowser(url)
    const page = await browser.visit(authorizePath(authorization({ client_id: 'app' })))
    const { location } = await browser.submit(page, { username, password, decision: 'login' }, headers)
    return { browser, isIn: location !== undefined }
  }
  const isIn = async (browser: TestBrowser) =>
    (await browser.visit(authorizePath(authorization({ client_id: 'app' })))).location !== undefined
  const stored = (await findUserByEmail(db, user.email)) as StoredUser
  return { ...running, logIn, isIn, stored }
}

const account = '/oauth/account'

t.test('P48 a user changes the password, and stays logged in here alone', async t => {
  const { url, logIn, isIn } = await start(t)
  const [{ browser }, { browser: other }] = [await logIn(), await logIn()]
  const token = await accessToken(url)
  const page = await browser.visit(account)
  t.match(page.text, /Ada Byron<\/strong>, ada@example.com. You may read, change, publish and delete/)
  const change = (fields: Record<string, string>) => browser.submit(page, { decision: 'password', ...fields })
  const attempts: [Record<string, string>, RegExp][] = [
    [{ current: user.password, password: 'short' }, /at least 12 characters/],
    [{ current: user.password, password: 'ada@example.com' }, /easy to guess/],
    // Only the first 64 characters count, because looking at all of them would take seconds.
    [{ current: user.password, password: `${'password'.repeat(8)}${good}` }, /easy to guess/],
    [{ current: 'wrong', password: good }, /current password is wrong/],
    [{ current: 'wrong', password: 'short' }, /current password is wrong/],
    [{ password: good }, /current password is wrong/]
  ]
  for (const [fields, text] of attempts) t.match((await change(fields)).text, text)
  t.ok(await isIn(other), 'nothing has changed')
  const before = browser.cookies.get('product-session')
  t.match((await change({ current: user.password, password: good })).text, /Your password is changed/)
  t.not(browser.cookies.get('product-session'), before)
  t.same([await isIn(browser), await isIn(other)], [true, false])
  t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 401)
  t.same([(await logIn()).isIn, (await logIn(good)).isIn], [false, true])
})

t.test('P48 a user who logs out everywhere meanwhile does not change the password', async t => {
  const issuer = 'http://shop.example'
  const { db, logIn } = await start(t, { issuer })
  const { browser } = await logIn()
  const ending = runBetween(db, 'product_attempt', () => endTokens(db, user.email))
  const app = host(t)
  await app.register(productTemplates, { db: ending, ...cheapHash, issuer, addressLimit: 0 })
  const slow = new TestBrowser(await app.listen({ port: 0, host: '127.0.0.1' }))
  for (const [name, value] of browser.cookies) slow.cookies.set(name, value)
  const form = { decision: 'password', current: user.password, password: good }
  const { status, text } = await slow.submit(await slow.visit(account), form)
  t.equal(status, 200)
  t.match(text, 'Your account was changed in the meantime. Log in again.')
  t.notMatch(text, 'grant')
  t.match((await slow.visit(account)).text, 'You are not logged in here.')
  t.same([(await logIn()).isIn, (await logIn(good)).isIn], [true, false])
})

onlyOn('sqlite', 'P48 a user whose account changes right after the password logs in again', async t => {
  const { db, logIn } = await start(t)
  const { browser } = await logIn()
  await sql`create trigger change after delete on product_session begin
    update product_user set token_epoch = token_epoch + 1 where id = old.user_id; end`.execute(db)
  const form = { decision: 'password', current: user.password, password: good }
  const { text, headers } = await browser.submit(await browser.visit(account), form)
  t.match(text, 'Your account was changed in the meantime. Log in again.')
  t.equal(headers.getSetCookie().length, 1)
  t.match((await browser.visit(account)).text, 'You are not logged in here.')
  t.same([(await logIn()).isIn, (await logIn(good)).isIn], [false, true])
})

t.test('P48 wrong passwords count for the limit of the account', async t => {
  const { logIn } = await start(t, { accountLimit: 2 })
  const { browser } = await logIn()
  const page = await browser.visit(account)
  const change = () => browser.submit(page, { decision: 'password', current: 'wrong', password: good })
  t.same([(await change()).status, (await change()).status], [200, 200])
  const refused = await change()
  t.equal(refused.status, 429)
  t.match(refused.headers.get('retry-after'), /^\d+$/)
})

t.test('P49 a user takes back what an application may do, and logs out everywhere', async t => {
  const { url, db, logIn, isIn, stored } = await start(t)
  await addClient(db, { id: 'third', grantTypes: ['password', 'refresh_token'] })
  await transact(db, transaction =>
    addConsent(transaction, { userId: stored.id, clientId: 'third' }, ['read'])
  )
  const authorization = basic('third')
  const login = (await (await tokenRequest(url, {}, { authorization })).json()) as Record<string, string>
  const refresh = async () => {
    const form = { grant_type: 'refresh_token', username: undefined, password: undefined }
    return (await tokenRequest(url, { ...form, refresh_token: login.refresh_token }, { authorization }))
      .status
  }
  const { browser } = await logIn()
  const page = await browser.visit(account)
  t.match(page.text, /<strong>third<\/strong>: read/)
  const revoked = await browser.submit(page, { decision: 'revoke', client: 'third' })
  t.match(revoked.text, /third must ask for your consent again/)
  t.notMatch(revoked.text, /<strong>third<\/strong>/)
  t.equal(await refresh(), 400)
  const again = await browser.submit(page, { decision: 'revoke', client: 'third' })
  t.match(again.text, 'That application does not use your account.')

  const [{ browser: other }, token] = [await logIn(), await accessToken(url)]
  t.match((await browser.submit(revoked, { decision: 'everywhere' })).text, /logged out everywhere/)
  t.same([await isIn(browser), await isIn(other)], [false, false])
  t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 401)
})

t.test('P71 the log has an end of a login only if there was such a login', async t => {
  const { url, db, lines } = await loggedService(t)
  const grantTypes = ['authorization_code', 'refresh_token', 'password']
  await addClient(db, { id: 'app', grantTypes, redirectUris: [redirectUri], firstParty: true })
  await tokenRequest(url, {}, { authorization: basic('app') })
  const browser = new TestBrowser(url)
  const path = authorizePath(authorization({ client_id: 'app' }))
  const fields = { username: user.email, password: user.password, decision: 'login' }
  await browser.submit(await browser.visit(path), fields)
  const page = await browser.visit(account)
  const { login } = hiddenFields(page.text.split('<form ').find(form => form.includes('login')) ?? '')
  await browser.submit(page, { decision: 'end-session', session: 'none' })
  for (const id of ['none', login as string, login as string])
    await browser.submit(page, { decision: 'end-login', login: id })
  await browser.submit(page, { decision: 'revoke', client: 'none' })
  const ends = lines.filter(({ msg }) => /ended by its user|revoked/.test(String(msg)))
  t.match(ends, [{ msg: 'login of a client ended by its user', sid: login }])
  t.equal(ends.length, 1)
})

t.test('P71 a user ends single logins of browsers and applications', async t => {
  const { url, db, logIn, isIn } = await start(t)
  const agents = {
    'Firefox on Linux': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    'Safari on an iPhone':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'An unknown browser': '<script>'.repeat(100)
  }
  const [here, phone, odd] = await Promise.all(
    Object.values(agents).map(async agent => (await logIn(user.password, { 'user-agent': agent })).browser)
  )
  if (!here || !phone || !odd) throw new Error('three browsers')
  const page = await here.visit(account)
  t.match(page.text, '<strong>Firefox on Linux</strong>, this one<br>Since <time')
  for (const name of Object.keys(agents)) t.match(page.text, `<strong>${name}</strong>`)
  t.notMatch(page.text, 'script')
  const formOf = (text: string, name: string) =>
    hiddenFields(text.split('<form ').find(form => form.includes(`<strong>${name}`)) ?? '')

  await addUser(db, { email: 'bob@example.com' })
  const bob = (await logIn(user.password, {}, 'bob@example.com')).browser
  const ofBob = await bob.visit(account)
  t.notMatch(ofBob.text, 'Firefox')
  const stolen = { decision: 'end-session', session: formOf(page.text, 'Safari').session as string }
  await bob.submit(ofBob, stolen)
  t.ok(await isIn(phone), 'somebody else ends nothing')
  t.equal((await here.post(account, { ...stolen })).status, 403)

  const after = await here.submit(page, { decision: 'end-session', ...formOf(page.text, 'Safari') })
  t.match(after.text, 'That browser is logged out.')
  t.notMatch(after.text, 'Safari')
  t.same([await isIn(here), await isIn(phone), await isIn(odd)], [true, false, true])
  await db
    .updateTable('product_session')
    .set({ time_used: '2020-01-01T00:00:00.000000Z' })
    .where('browser', '=', 'An unknown browser')
    .execute()
  t.notMatch((await here.visit(account)).text, 'An unknown browser', 'it has ended by itself')

  const client = { grantTypes: ['password', 'refresh_token'], displayName: 'The <shop>' }
  await addClient(db, { id: 'shop', ...client })
  const enter = async (email = user.email) => {
    const response = await tokenRequest(url, { username: email }, { authorization: basic('shop') })
    return (await response.json()) as { access_token: string; refresh_token: string }
  }
  const works = async ({ access_token }: { access_token: string }) =>
    (await graphqlRequest(url, access_token, { query: '{ __typename }' })).status === 200
  const [first, second, foreign] = [await enter(), await enter(), await enter('bob@example.com')]
  const listed = await here.visit(account)
  t.equal(listed.text.split('<strong>The &lt;shop&gt;</strong><br>Since').length, 3)
  const login = formOf(listed.text, 'The &lt;shop&gt;').login as string
  await bob.submit(await bob.visit(account), { decision: 'end-login', login })
  t.ok((await works(first)) && (await works(second)), 'somebody else ends nothing')
  const ended = await here.submit(listed, { decision: 'end-login', login })
  t.match(ended.text, 'That application is logged out.')
  t.equal(ended.text.split('<strong>The &lt;shop&gt;').length, 2)
  t.same([await works(first), await works(second), await works(foreign)], [true, false, true], 'the newest')

  const recorded = await db
    .selectFrom('product_audit')
    .select('action')
    .where('action', 'in', ['user.end_session', 'user.end_login'])
    .orderBy('sequence')
    .execute()
  t.same(
    recorded.map(({ action }) => action),
    ['user.end_session', 'user.end_login'],
    'only what has ended is recorded'
  )

  const own = await here.submit(listed, { decision: 'end-session', ...formOf(listed.text, 'An unknown') })
  t.match(own.text, 'You are logged out here.')
  t.same([await isIn(here), await works(first)], [false, true], 'applications are not tied to a browser')
})

t.test('P71 an application without refresh tokens is listed as long as its access token', async t => {
  const enter = async (options: ServiceOptions = {}) => {
    const running = await start(t, options)
    const { verifier, challenge } = pkce()
    const browser = new TestBrowser(running.url)
    const request = authorization({ client_id: 'app', code_challenge: challenge })
    const { location } = await browser.submit(await browser.visit(authorizePath(request)), login)
    const code = location?.searchParams.get('code') ?? ''
    const grant = { grant_type: 'authorization_code', username: undefined, password: undefined }
    const form = { ...grant, code, code_verifier: verifier, redirect_uri: redirectUri }
    const response = await tokenRequest(running.url, form, { authorization: basic('app') })
    const tokens = (await response.json()) as Record<string, string>
    t.notOk('refresh_token' in tokens)
    const works = async () =>
      (await graphqlRequest(running.url, tokens.access_token ?? '', { query: '{ __typename }' })).status ===
      200
    return { browser, works }
  }
  const { browser, works } = await enter()
  const page = await browser.visit(account)
  t.ok(await works())
  const form = page.text.split('<form ').find(form => form.includes('<strong>app</strong>')) ?? ''
  const ended = await browser.submit(page, { decision: 'end-login', ...hiddenFields(form) })
  t.match(ended.text, 'That application is logged out.')
  t.notMatch(ended.text, '<strong>app</strong>')
  t.notOk(await works())

  const short = await enter({ accessTokenTtl: 1 })
  await until(async () => !(await short.browser.visit(account)).text.includes('<strong>app</strong>'))
  t.match((await short.browser.visit(account)).text, 'No application uses your account.')
})

t.test('P50 the account is that of the browser: other sites and browsers change nothing', async t => {
  const { url, logIn, isIn } = await start(t)
  const { browser } = await logIn()
  const page = await browser.visit(account)
  const stranger = new TestBrowser(url)
  t.match((await stranger.visit(account)).text, /You are not logged in here/)
  t.equal((await stranger.submit(page, { decision: 'everywhere' })).status, 403)
  const attempts: [Record<string, string>, Record<string, string>][] = [
    [{ decision: 'everywhere', csrf: '' }, {}],
    [{ decision: 'everywhere', csrf: 'x' }, {}],
    [{ decision: 'everywhere' }, { 'sec-fetch-site': 'cross-site' }],
    [{ decision: 'everywhere' }, { origin: 'https://evil.example' }],
    [{ decision: 'delete' }, {}]
  ]
  for (const [fields, headers] of attempts)
    t.equal((await browser.submit(page, fields, headers)).status, 403, JSON.stringify([fields, headers]))
  t.equal((await browser.post(account, 'decision=everywhere&decision=everywhere&csrf=x')).status, 400)
  t.ok(await isIn(browser))
  t.match(page.headers.get('content-security-policy'), /form-action 'self'; frame-ancestors 'none'/)
  t.equal(page.headers.get('cache-control'), 'no-store')
  const without = await start(t, { passwordLogin: false })
  t.notOk((await without.logIn()).isIn)
  const token = remember(await createLinkToken(without.db, without.stored, noActor))
  t.equal((await new TestBrowser(without.url).visit(`/oauth/password?token=${token}`)).status, 404)
})

t.test('P51 a link sets a password once, within a day, if nothing has changed since', async t => {
  const { url, db, logIn, stored } = await start(t)
  const link = async () =>
    remember(await createLinkToken(db, (await findUserByEmail(db, user.email)) as StoredUser, noActor))
  const browser = new TestBrowser(url)
  const open = (token: string) => browser.visit(`/oauth/password?token=${token}`)
  const set = (token: string, password: string) => browser.post('/oauth/password', { token, password })
  t.equal((await open('x')).status, 404)
  t.equal((await set('', good)).status, 404)

  const [first, second] = [await link(), await link()]
  const page = await open(first)
  t.match(page.text, /for <strong>ada@example.com<\/strong>/)
  t.match((await set(first, 'passwordpassword')).text, /easy to guess/)
  t.match((await set(first, good)).text, /Your password is set/)
  t.same(
    [(await open(first)).status, (await set(first, good)).status, (await open(second)).status],
    [404, 404, 404]
  )
  t.same([(await logIn()).isIn, (await logIn(good)).isIn], [false, true])

  const old = await link()
  await db.updateTable('product_password_link').set({ time_expires: '2020-01-01T00:00:00.000000Z' }).execute()
  t.equal((await open(old)).status, 404)
  const ended = await link()
  await users.disable(db, stored.email)
  t.equal((await set(ended, good)).status, 404)
  const twice = await start(t)
  const token = remember(await createLinkToken(twice.db, twice.stored, noActor))
  const at = new TestBrowser(twice.url)
  const both = await Promise.all([1, 2].map(() => at.post('/oauth/password', { token, password: good })))
  t.same(both.map(({ status }) => status).sort(), [200, 404], 'two at once')
})
