// Runs in test:all only.
/** Passkeys by HTTP, with an authenticator that signs whatever it is told to. */
import { generateKeyPairSync } from 'node:crypto'
import { type Test, t } from 'tap'
import { deleteUser, findUserByEmail, type StoredUser } from '../../../db/accounts/users.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import { users } from '../../../store.ts'
import {
  authorization,
  authorizePath,
  redirectUri,
  TestBrowser,
  type Visit
} from '../../../test/support/browser/browser.ts'
import { challengeOf, TestAuthenticator } from '../../../test/support/browser/passkey.ts'
import { loggedService } from '../../../test/support/service/log.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import {
  addClient,
  addUser,
  cheapHash,
  deleteExpired,
  host,
  user
} from '../../../test/support/service/service.ts'
import { withPasskeys } from '../rows.ts'

const issuer = 'https://templates.example'
const account = '/oauth/account'
const longAgo = '2020-01-01T00:00:00.000000Z'
const notAccepted = 'The passkey was not accepted.'

async function start(t: Test, options: Omit<ServiceOptions, 'db'> = {}) {
  const running = await loggedService(t, { issuer, passkeys: true, ...options })
  const grantTypes = ['authorization_code']
  await addClient(running.db, { id: 'app', grantTypes, redirectUris: [redirectUri], firstParty: true })
  return { ...running, ...person(running.url) }
}

/** Somebody with browsers and an authenticator. */
function person(url: string, { email, password }: { email: string; password: string } = user) {
  const ask = (browser: TestBrowser, more: Record<string, string> = {}) =>
    browser.visit(authorizePath(authorization({ client_id: 'app', ...more })))
  const logIn = async () => {
    const browser = new TestBrowser(url)
    await browser.submit(await ask(browser), { username: email, password, decision: 'login' })
    return browser
  }
  const authenticator = new TestAuthenticator(issuer)
  /** Adds the passkey of the authenticator, and returns the page. */
  const add = async (
    wrong: Parameters<TestAuthenticator['create']>[1] = {},
    used: { browser?: TestBrowser; authenticator?: TestAuthenticator; name?: string } = {}
  ): Promise<Visit> => {
    const browser = used.browser ?? (await logIn())
    const page = await browser.visit(account)
    const { options } = await challengeOf(browser, page, { decision: 'add-passkey' })
    const credential = (used.authenticator ?? authenticator).create(options, wrong)
    return browser.submit(page, { decision: 'add-passkey', credential, name: used.name ?? 'My phone' })
  }
  /** Logs in with the passkey, in a new browser. */
  const use = async (wrong: Parameters<TestAuthenticator['get']>[1] = {}): Promise<Visit> => {
    const browser = new TestBrowser(url)
    const page = await ask(browser)
    const { options } = await challengeOf(browser, page, { decision: 'passkey' })
    return browser.submit(page, { decision: 'passkey', credential: authenticator.get(options, wrong) })
  }
  return { ask, logIn, add, use, authenticator }
}

const hasCode = ({ location }: Visit) => location?.searchParams.has('code') === true

function refused(t: Test, { status, text, location }: Visit, name: string) {
  t.same([status, location], [200, undefined], name)
  t.match(text, `<p role="alert">${notAccepted}</p>`, name)
}

t.test('P60 a user adds a passkey, logs in with it, and deletes it', async t => {
  const { url, db, logIn, add, use, authenticator } = await start(t)
  refused(t, await use(), 'unknown')
  const browser = await logIn()
  const page = await add({}, { browser, name: 'Old \u202Ephone' })
  t.match(page.text, 'Your passkey is added. You can log in with it.')
  t.match(page.text, '<strong>Old  phone</strong><br>Added <time')
  t.match(page.text, 'Never used')
  t.match(
    page.headers.get('content-security-policy'),
    /script-src 'sha256-[^']+'; connect-src 'self'; form-action 'self'/
  )
  const before = new Date().toISOString()
  t.ok(hasCode(await use()))
  const sessions = db.selectFrom('product_session').selectAll().orderBy('time_created', 'desc')
  const session = await sessions.execute()
  t.equal(session.length, 2)
  t.ok(String(session[0]?.time_created) >= before, 'the login counts from now')
  t.match((await browser.visit(account)).text, 'Last used')

  const bob = { email: 'bob@example.com', password: user.password }
  await addUser(db, bob)
  const other = await person(url, bob).logIn()
  await other.submit(await other.visit(account), { decision: 'delete-passkey', passkey: authenticator.id })
  t.ok(hasCode(await use()), 'somebody else deleted nothing')
  const deleted = await browser.submit(page, { decision: 'delete-passkey', passkey: authenticator.id })
  t.match(deleted.text, 'The passkey is deleted.')
  t.notMatch(deleted.text, 'Old  phone')
  refused(t, await use(), 'deleted')
})

t.test('P61 a login is refused unless everything in the response is right', async t => {
  const { url, db, ask, add, use, authenticator } = await start(t, { accountLimit: 0 })
  await add()
  const bob = { email: 'bob@example.com', password: user.password }
  await addUser(db, bob)
  const ofBob = person(url, bob)
  await ofBob.add()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const wrong: Record<string, Parameters<TestAuthenticator['get']>[1]> = {
    origin: { origin: 'https://templates.example.evil.example' },
    'origin of another port': { origin: 'https://templates.example:8443' },
    'plain origin': { origin: 'http://templates.example' },
    'RP id': { rpId: 'evil.example' },
    challenge: { challenge: Buffer.from('x'.repeat(32)).toString('base64url') },
    type: { type: 'webauthn.create' },
    'user not verified': { flags: 1 },
    'user not present': { flags: 4 },
    signature: { key: privateKey },
    'credential of another user': { id: ofBob.authenticator.id },
    'handle of another user': { userHandle: ofBob.authenticator.userHandle },
    'no handle': { userHandle: '' },
    'unknown credential': { id: 'AAAA' },
    'odd credential': { id: 'a\u0000' }
  }
  for (const [name, tampering] of Object.entries(wrong)) refused(t, await use(tampering), name)
  const browser = new TestBrowser(url)
  const page = await ask(browser)
  for (const credential of ['', '{', 'null', '{}', '[]', '{"response":{"clientDataJSON":"bnVsbA"}}'])
    refused(t, await browser.submit(page, { decision: 'passkey', credential }), credential)
  t.ok(hasCode(await use()), 'nothing was wrong with the passkey')

  const { options } = await challengeOf(browser, page, { decision: 'passkey' })
  const credential = authenticator.get(options)
  const thief = new TestBrowser(url)
  const stolen = await thief.submit(await ask(thief), { decision: 'passkey', credential })
  refused(t, stolen, 'the challenge of another browser')
  t.ok(hasCode(await browser.submit(page, { decision: 'passkey', credential })))
  const again = await ask(browser, { prompt: 'login' })
  refused(t, await browser.submit(again, { decision: 'passkey', credential }), 'replayed')

  const late = await challengeOf(browser, again, { decision: 'passkey' })
  await withPasskeys(db).updateTable('product_passkey_challenge').set({ time_expires: longAgo }).execute()
  refused(
    t,
    await browser.submit(again, { decision: 'passkey', credential: authenticator.get(late.options) }),
    'expired'
  )
  await deleteExpired(db)
  t.equal((await withPasskeys(db).selectFrom('product_passkey_challenge').selectAll().execute()).length, 0)
})

t.test('P62 a challenge works once, even for two requests at once', async t => {
  const { url, ask, add, authenticator } = await start(t)
  await add()
  const browser = new TestBrowser(url)
  const page = await ask(browser)
  const { options } = await challengeOf(browser, page, { decision: 'passkey' })
  const credential = authenticator.get(options)
  const both = await Promise.all([1, 2].map(() => browser.submit(page, { decision: 'passkey', credential })))
  t.same(both.map(hasCode).sort(), [false, true])
})

t.test('P63 a counter that goes back is refused, and failures have a limit', async t => {
  const { db, lines, add, use, authenticator } = await start(t, { accountLimit: 2 })
  authenticator.counter = 4_294_967_000
  await add()
  t.ok(hasCode(await use({ counter: 4_294_967_002 })))
  refused(t, await use({ counter: 4_294_967_002 }), 'the same again')
  t.ok(hasCode(await use({ counter: 4_294_967_003 })), 'a success forgets failures')
  refused(t, await use({ counter: 4_294_967_001 }), 'less')
  t.match(
    lines.findLast(({ msg }) => msg === 'login refused'),
    {
      reason: 'passkey: Response counter value 4294967001 was lower than expected 4294967003'
    }
  )
  refused(t, await use({ counter: 0 }), 'none')
  const locked = await use({ counter: 4_294_967_295 })
  t.equal(locked.status, 429)
  t.match(locked.text, 'Too many failed logins')
  await db.deleteFrom('product_attempt').execute()
  t.ok(hasCode(await use({ counter: 4_294_967_295 })))
})

t.test('P64 wrong passwords lock no passkey', async t => {
  const { url, ask, add, use } = await start(t, { accountLimit: 1 })
  await add()
  const browser = new TestBrowser(url)
  const wrong = { username: user.email, password: 'wrong', decision: 'login' }
  await browser.submit(await ask(browser), wrong)
  t.equal((await browser.submit(await ask(browser), wrong)).status, 429)
  t.ok(hasCode(await use()))
})

t.test('P65 a new passkey is refused unless everything in the response is right', async t => {
  const { db, lines, logIn, add, authenticator } = await start(t)
  const wrong: Record<string, Parameters<TestAuthenticator['create']>[1]> = {
    origin: { origin: 'https://evil.example' },
    'RP id': { rpId: 'evil.example' },
    challenge: { challenge: Buffer.from('x'.repeat(32)).toString('base64url') },
    type: { type: 'webauthn.get' },
    'user not verified': { flags: 0x41 },
    'with certificates': {
      // {"x5c": []}
      attestation: { fmt: 'packed', statement: Buffer.from('a16378356380', 'hex') }
    },
    'a statement of a vendor': { attestation: { fmt: 'apple', statement: Buffer.from([0xa0]) } }
  }
  const browser = await logIn()
  for (const [name, tampering] of Object.entries(wrong)) refused(t, await add(tampering, { browser }), name)
  const reasons = lines.filter(({ msg }) => msg === 'passkey not added').map(({ reason }) => reason)
  t.same(reasons.slice(-2), Array(2).fill('passkey: an attestation with certificates'), 'nobody read them')
  const page = await browser.visit(account)
  for (const credential of ['', 'null', '{"id":"AAAA","response":{"clientDataJSON":"e30"}}'])
    refused(t, await browser.submit(page, { decision: 'add-passkey', credential }), credential)
  // A challenge of the login page.
  const { options } = await challengeOf(browser, page, { decision: 'passkey' })
  const login = authenticator.create({ ...options, rp: { id: 'templates.example' } })
  refused(
    t,
    await browser.submit(page, { decision: 'add-passkey', credential: login }),
    'a challenge for a login'
  )
  t.same(await withPasskeys(db).selectFrom('product_passkey').selectAll().execute(), [])

  t.match((await add({}, { browser })).text, 'Your passkey is added')
  refused(t, await add({}, { browser }), 'the same once more')
  const listed = await challengeOf(browser, page, { decision: 'add-passkey' })
  t.match(listed.options, { excludeCredentials: [{ id: authenticator.id }], user: { name: user.email } })
  for (let count = 2; count <= 20; count++)
    await add({}, { browser, authenticator: new TestAuthenticator(issuer) })
  refused(t, await add({}, { browser, authenticator: new TestAuthenticator(issuer) }), 'the 21st')
  t.equal((await withPasskeys(db).selectFrom('product_passkey').selectAll().execute()).length, 20)
})

t.test('P66 adding a passkey needs a recent login or the password', async t => {
  const { url, db, logIn, ask } = await start(t)
  const stranger = new TestBrowser(url)
  const login = await ask(stranger)
  t.match(await challengeOf(stranger, login, { decision: 'add-passkey' }), { problem: /not logged in/ })
  t.equal((await challengeOf(new TestBrowser(url), login)).status, 403)
  t.equal((await stranger.post('/oauth/passkey', { csrf: 'x' })).status, 403)

  const browser = await logIn()
  const recent = await browser.visit(account)
  t.notMatch(recent.text, /name="current"[\s\S]*name="current"/)
  const elevenMinutes = new Date(Date.now() - 660_000).toISOString().replace('Z', '000Z')
  await db.updateTable('product_session').set({ time_created: elevenMinutes }).execute()
  const old = await browser.visit(account)
  t.match(old.text, /name="current"[\s\S]*name="current"/)
  const ask1 = (current: string) => challengeOf(browser, old, { decision: 'add-passkey', current })
  t.match(await ask1(''), { problem: /Reload the page/ })
  t.match(await ask1('wrong'), { problem: 'The current password is wrong.' })
  const { options } = await ask1(user.password)
  const credential = new TestAuthenticator(issuer).create(options)
  t.match((await browser.submit(old, { decision: 'add-passkey', credential })).text, 'Your passkey is added')
})

t.test('P67 without password logins, passkeys stay', async t => {
  const { db, ask, add, authenticator } = await start(t)
  await add()
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, issuer, passkeys: true, passwordLogin: false })
  const browser = new TestBrowser(await app.listen({ port: 0, host: '127.0.0.1' }))
  const page = await ask(browser)
  t.notMatch(page.text, 'name="password"')
  const { options } = await challengeOf(browser, page, { decision: 'passkey' })
  t.ok(hasCode(await browser.submit(page, { decision: 'passkey', credential: authenticator.get(options) })))
  t.match((await browser.visit(account)).text, 'My phone')
  const elevenMinutes = new Date(Date.now() - 660_000).toISOString().replace('Z', '000Z')
  await db.updateTable('product_session').set({ time_created: elevenMinutes }).execute()
  const old = await challengeOf(browser, await browser.visit(account), { decision: 'add-passkey' })
  t.match(old, { problem: /Log out and log in again/ })
})

t.test('P68 a disabled or deleted user has no use of a passkey; a new password keeps it', async t => {
  const { db, add, use } = await start(t)
  await add()
  await users.setPassword(db, user.email, remember('harbour-violin-s3cr3t-kettle'), cheapHash)
  t.ok(hasCode(await use()))
  await users.disable(db, user.email)
  refused(t, await use(), 'disabled')
  await users.enable(db, user.email)
  t.ok(hasCode(await use()))
  const { id } = (await findUserByEmail(db, user.email)) as StoredUser
  await deleteUser(db, id)
  t.same(await withPasskeys(db).selectFrom('product_passkey').selectAll().execute(), [])
  refused(t, await use(), 'deleted')
})

t.test('P69 a challenge of one process is answered at another', async t => {
  const { url, db, ask, add, authenticator } = await start(t)
  await add()
  const app = host(t)
  await app.register(productTemplates, { db, ...cheapHash, issuer, passkeys: true })
  const browser = new TestBrowser(url)
  const page = await ask(browser)
  const other = new TestBrowser(await app.listen({ port: 0, host: '127.0.0.1' }))
  for (const [name, value] of browser.cookies) other.cookies.set(name, value)
  const { options } = await challengeOf(other, page, { decision: 'passkey' })
  t.ok(hasCode(await browser.submit(page, { decision: 'passkey', credential: authenticator.get(options) })))
})

t.test('P70 passkeys are off unless they are asked for, and need an address that can have them', async t => {
  const { url, db, ask, logIn } = await start(t, { passkeys: false })
  const browser = new TestBrowser(url)
  const page = await ask(browser)
  t.notMatch(page.text, 'passkey')
  t.notMatch(page.headers.get('content-security-policy'), 'connect-src')
  t.equal((await browser.post('/oauth/passkey', {})).status, 404)
  t.equal((await browser.visit('/oauth/passkeys.js')).status, 404)
  t.equal((await browser.submit(page, { decision: 'passkey', credential: '{}' })).status, 403)
  const inside = await logIn()
  const own = await inside.visit(account)
  t.notMatch(own.text, 'asskey')
  t.equal((await inside.submit(own, { decision: 'add-passkey', credential: '{}' })).status, 403)
  const message = /^PASSKEYS needs ISSUER to be an https URL with the name of a host, or http:\/\/localhost/
  const open = async (options: ServiceOptions) => {
    const app = host(t)
    await app.register(productTemplates, { db, ...cheapHash, passkeys: true, ...options })
  }
  const wrong = ['http://shop.example', 'https://192.0.2.1', 'https://[2001:db8::1]', 'http://127.0.0.1:3000']
  for (const issuer of wrong) await t.rejects(open({ issuer }), { code: 'PTS_BAD_OPTION', message }, issuer)
  await t.rejects(open({}), { code: 'PTS_BAD_OPTION', message })
  for (const issuer of ['http://localhost:3000', 'http://shop.localhost', 'https://shop.example/templates'])
    await t.resolves(open({ issuer }), issuer)
})
