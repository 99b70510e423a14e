/** What users do with their own account, and links with which they set a password. */
import { type Test, t } from 'tap'
import { createPasswordLink } from '../../../accounts/passwords.ts'
import { disableUser } from '../../../accounts/users.ts'
import { addConsent } from '../../../db/accounts/consents.ts'
import { findUserByEmail, type StoredUser } from '../../../db/accounts/users.ts'
import type { ServiceOptions } from '../../../index.ts'
import { authorization, authorizePath, redirectUri, TestBrowser } from '../../browser.ts'
import { accessToken, basic, graphqlRequest, tokenRequest } from '../../http.ts'
import { remember } from '../../secrets.ts'
import { addClient, service, user } from '../../service.ts'

const good = remember('harbour-violin-s3cr3t-kettle')

async function start(t: Test, options: ServiceOptions = {}) {
  const running = await service(t, options)
  const grantTypes = ['authorization_code']
  await addClient(running.db, { id: 'app', grantTypes, redirectUris: [redirectUri], firstParty: true })
  const { url, db } = running
  const logIn = async (password = user.password) => {
    const browser = new TestBrowser(url)
    const page = await browser.visit(authorizePath(authorization({ client_id: 'app' })))
    const { location } = await browser.submit(page, { username: user.email, password, decision: 'login' })
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
    [{ current: 'wrong', password: good }, /current password is wrong/],
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

t.test('P48 wrong passwords count for the limit of the account', async t => {
  const { logIn } = await start(t, { accountLimit: 2 })
  const { browser } = await logIn()
  const page = await browser.visit(account)
  const change = () => browser.submit(page, { decision: 'password', current: 'wrong', password: good })
  t.same([(await change()).status, (await change()).status, (await change()).status], [200, 200, 429])
})

t.test('P49 a user takes back what an application may do, and logs out everywhere', async t => {
  const { url, db, logIn, isIn, stored } = await start(t)
  await addClient(db, { id: 'third', grantTypes: ['password', 'refresh_token'] })
  await addConsent(db, { userId: stored.id, clientId: 'third' }, ['read'])
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
  t.match(revoked.text, /third has to ask you again/)
  t.notMatch(revoked.text, /<strong>third<\/strong>/)
  t.equal(await refresh(), 400)

  const [{ browser: other }, token] = [await logIn(), await accessToken(url)]
  t.match((await browser.submit(revoked, { decision: 'everywhere' })).text, /logged out everywhere/)
  t.same([await isIn(browser), await isIn(other)], [false, false])
  t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 401)
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
  const token = remember(await createPasswordLink(without.db, without.stored))
  t.equal((await new TestBrowser(without.url).visit(`/oauth/password?token=${token}`)).status, 404)
})

t.test('P51 a link sets a password once, within a day, if nothing has changed since', async t => {
  const { url, db, logIn, stored } = await start(t)
  const link = async () =>
    remember(await createPasswordLink(db, (await findUserByEmail(db, user.email)) as StoredUser))
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
  await disableUser(db, stored.email)
  t.equal((await set(ended, good)).status, 404)
  const twice = await start(t)
  const token = remember(await createPasswordLink(twice.db, twice.stored))
  const at = new TestBrowser(twice.url)
  const both = await Promise.all([1, 2].map(() => at.post('/oauth/password', { token, password: good })))
  t.same(both.map(({ status }) => status).sort(), [200, 404], 'two at once')
})
