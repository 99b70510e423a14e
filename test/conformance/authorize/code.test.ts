/** Authorization codes at the token endpoint. RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9700 §2.1.1 and §4. */

import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { hashSecret } from '../../../accounts/credentials/secrets.ts'
import { updateStoredClient } from '../../../db/accounts/clients.ts'
import { addConsent, deleteConsent, listConsents } from '../../../db/accounts/logins/consents.ts'
import { findUserByEmail, setUserDisabled, updatePassword } from '../../../db/accounts/users.ts'
import type { Db } from '../../../db/schema.ts'
import { transact } from '../../../db/transaction.ts'
import { openDatabase } from '../../../features/database.ts'
import { Metrics } from '../../../runtime/metrics/metrics.ts'
import { clients, users } from '../../../store.ts'
import { parseMetrics } from '../../metrics/scrape.ts'
import {
  addWebClient,
  authorization,
  authorizePath,
  login,
  pkce,
  redirectUri,
  TestBrowser
} from '../../support/browser/browser.ts'
import { engine, migratedUrl } from '../../support/database/database.ts'
import { basic, oauthError, query } from '../../support/http/http.ts'
import { serve } from '../../support/service/process.ts'
import {
  addClient,
  addUser,
  client,
  deleteExpired,
  endGracePeriod,
  service,
  user
} from '../../support/service/service.ts'

type Form = Record<string, string | undefined>

async function start(t: Test, options = {}) {
  const { app, db, url } = await service(t, options)
  const redirectUris = [redirectUri, 'https://app.example/other']
  for (const id of ['web', 'other']) await addWebClient(db, { id, redirectUris })
  const browser = new TestBrowser(url)

  /** Logs in and returns the code, with its verifier. */
  const code = async (more: Record<string, string> = {}) => {
    const { verifier, challenge } = pkce()
    const parameters = authorization({ client_id: 'web', code_challenge: challenge, ...more })
    const page = await browser.visit(authorizePath(parameters))
    const answer = page.location ? page : await browser.submit(page, login)
    return { code: answer.location?.searchParams.get('code') as string, code_verifier: verifier }
  }
  const exchange = (form: Form, headers: Record<string, string> = {}) => {
    const all = { grant_type: 'authorization_code', client_id: 'web', redirect_uri: redirectUri, ...form }
    const body = new URLSearchParams(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    )
    return fetch(`${url}/oauth/token`, { method: 'POST', body, headers })
  }
  const tokens = async (form: Form) =>
    (await (await exchange(form)).json()) as { access_token: string; refresh_token?: string; scope: string }
  return { app, db, url, code, exchange, tokens }
}

const works = async (url: string, token: string) =>
  (await query(url, token, '{ allProducts { id } }')).status === 200

t.test('P26 P27 a code becomes tokens', async t => {
  const { db, url, code, exchange } = await start(t)
  const bound = await code({ scope: 'read write' })
  const rows = await db.selectFrom('product_authorization_code').selectAll().execute()
  t.match(bound.code, /^[\w-]{43}$/)
  t.match(rows, [{ hash: hashSecret(bound.code), client_id: 'web', redirect_uri: redirectUri }])
  const seconds = (Date.parse(rows[0]?.time_expires ?? '') - Date.now()) / 1000
  t.ok(seconds > 50 && seconds <= 60, `${seconds}`)
  const response = await exchange(bound)
  const body = (await response.json()) as Record<string, string>
  t.equal(response.status, 200)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.match(body, {
    token_type: 'bearer',
    scope: 'read write',
    refresh_token: /^[\w-]{43}$/
  })
  t.ok(await works(url, body.access_token as string))
})

const tokenFields = ['access_token', 'token_type', 'refresh_token', 'expires_in', 'scope', 'jti']
const profileFields = ['id', 'first_name', 'last_name', 'country', 'mobile', 'wallets']

t.test('P27 the profile comes with the scope `profile` alone, also from a refresh token', async t => {
  const { db, code, tokens } = await start(t)
  await updateStoredClient(db, 'web', { scopes: ['read', 'write', 'profile'] })
  const refresh = ({ refresh_token = '' }, scope?: string) =>
    tokens({ grant_type: 'refresh_token', refresh_token, scope })
  const without = await tokens(await code({ scope: 'read write' }))
  t.same(Object.keys(without).sort(), tokenFields.toSorted())
  t.same(Object.keys(await refresh(without)).sort(), tokenFields.toSorted())
  const all = [...tokenFields, ...profileFields].sort()
  const asked = await tokens(await code({ scope: 'profile read' }))
  t.match(asked, { scope: 'read profile', first_name: 'Ada' })
  t.same(Object.keys(asked).sort(), all)
  const narrowed = await refresh(asked, 'read')
  t.equal(narrowed.scope, 'read')
  t.same(Object.keys(narrowed).sort(), tokenFields.toSorted(), 'a narrower token')
  const whole = await refresh(narrowed)
  t.match(whole, { scope: 'read profile' })
  t.same(Object.keys(whole).sort(), all, 'the refresh token keeps its scope')
  await updateStoredClient(db, 'web', { scopes: ['read', 'write'] })
  t.same(Object.keys(await refresh(whole)).sort(), tokenFields.toSorted(), 'the client lost the scope')
})

t.test('P28 a code that is missing, unknown, expired or of another client', async t => {
  const { db, code, exchange } = await start(t)
  const bound = await code()
  t.same(await oauthError(t, await exchange({ ...bound, code: undefined })), [400, 'invalid_request'])
  t.same(await oauthError(t, await exchange({ ...bound, code: 'x'.repeat(43) })), [400, 'invalid_grant'])
  t.same(await oauthError(t, await exchange({ ...bound, client_id: 'other' })), [400, 'invalid_grant'])
  await db
    .updateTable('product_authorization_code')
    .set({ time_expires: '2020-01-01T00:00:00.000000Z' })
    .execute()
  t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'], 'expired')
  const fresh = await code()
  const said = new Set<string>()
  const refuse = async (form: Form) => void said.add(await (await exchange(form)).text())
  await refuse({ ...fresh, client_id: 'other' })
  t.equal((await exchange(fresh)).status, 200, "another client's attempt does not use it up")
  for (const form of [fresh, bound, { ...fresh, code: 'x'.repeat(43) }]) await refuse(form)
  t.equal(said.size, 1, 'of another client, used, expired and unknown: one text')
})

t.test('P29 a second use ends the tokens of the first', async t => {
  const metricsRegistry = new Metrics()
  const { url, code, exchange, tokens } = await start(t, { metricsRegistry })
  const bound = await code()
  const { access_token: token, refresh_token: refresh } = await tokens(bound)
  t.ok(await works(url, token))
  t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'])
  const { sum } = parseMetrics((await metricsRegistry.text()).text)
  t.equal(sum('errors_total', { code: 'invalid_grant', reason: 'token_reused' }), 1)
  t.notOk(await works(url, token), 'the access token')
  const refreshed = await exchange({ grant_type: 'refresh_token', refresh_token: refresh })
  t.equal(refreshed.status, 400, 'the refresh token')
})

t.test('P29 a used code is remembered for a day, one that expired unused is not', async t => {
  const { db, code, exchange } = await start(t)
  const used = await code()
  await exchange(used)
  await code()
  const left = async (minutes: number) => {
    const time_expires = new Date(Date.now() - minutes * 60_000).toISOString().replace('Z', '000Z')
    await db.updateTable('product_authorization_code').set({ time_expires }).execute()
    await deleteExpired(db)
    return (await db.selectFrom('product_authorization_code').select('hash').execute()).map(
      ({ hash }) => hash
    )
  }
  t.same(await left(10), [hashSecret(used.code)])
  t.same(await left(24 * 60 + 10), [])
})

t.test('P29 of 20 uses at once at most one succeeds, and its tokens end', async t => {
  const { url, code, exchange } = await start(t)
  const bound = await code()
  const responses = await Promise.all(Array.from({ length: 20 }, () => exchange(bound)))
  const good = responses.filter(({ status }) => status === 200)
  t.equal(good.length, 1)
  t.ok(responses.every(({ status }) => status === 200 || status === 400))
  const { access_token: token } = (await (good[0] as Response).json()) as { access_token: string }
  t.notOk(await works(url, token))
})

t.test('P29 of uses at once at two processes at most one succeeds, and its tokens end', async t => {
  const database = await migratedUrl(t)
  const db = await openDatabase(database)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addWebClient(db)
  const env = { DATABASE_URL: database, PASSWORD_MEMORY: '7168', ISSUER: 'http://127.0.0.1:3000' }
  const [{ url }, { url: other }] = [await serve(t, [], env), await serve(t, [], env)]
  const browser = new TestBrowser(url)
  const { verifier, challenge } = pkce()
  const path = authorizePath(authorization({ client_id: 'web', code_challenge: challenge }))
  const { location } = await browser.submit(await browser.visit(path), login)
  const form = { grant_type: 'authorization_code', client_id: 'web', redirect_uri: redirectUri }
  const body = new URLSearchParams({
    ...form,
    code: location?.searchParams.get('code') ?? '',
    code_verifier: verifier
  })
  const use = (at: string) => fetch(`${at}/oauth/token`, { method: 'POST', body })
  const responses = await Promise.all([url, other, url, other, url, other].map(use))
  t.same(responses.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400])
  const good = responses.find(({ status }) => status === 200) as Response
  const { access_token: token } = (await good.json()) as { access_token: string }
  t.same([await works(url, token), await works(other, token)], [false, false])
})

t.test('P30 P31 a wrong redirect URI or verifier uses the code up', async t => {
  const { code, exchange } = await start(t)
  const cases: [string, Form][] = [
    ['invalid_grant', { redirect_uri: undefined }],
    ['invalid_grant', { redirect_uri: 'https://app.example/other' }],
    ['invalid_grant', { code_verifier: undefined }],
    ['invalid_grant', { code_verifier: 'x'.repeat(43) }],
    ['invalid_request', { code_verifier: 'x'.repeat(42) }],
    ['invalid_request', { code_verifier: 'x'.repeat(129) }],
    ['invalid_request', { code_verifier: `${'x'.repeat(43)}+` }]
  ]
  for (const [error, more] of cases) {
    const bound = await code()
    t.same(await oauthError(t, await exchange({ ...bound, ...more })), [400, error], JSON.stringify(more))
    t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'], 'used up')
  }
})

t.test('P32 a code without a challenge is refused', async t => {
  const { db, code, exchange } = await start(t)
  for (const challenge of ['', '0', 'x'.repeat(43)]) {
    const bound = await code()
    await db
      .updateTable('product_authorization_code')
      .set({ challenge })
      .where('hash', '=', hashSecret(bound.code))
      .execute()
    t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'])
    t.equal((await exchange({ ...bound, code_verifier: undefined })).status, 400)
  }
})

t.test('P33 P34 a public client sends its id and no secret; others need theirs', async t => {
  const { db, url, code, exchange } = await start(t)
  const bound = await code()
  t.same(await oauthError(t, await exchange({ ...bound, client_secret: 'x' })), [401, 'invalid_client'])
  const withBasic = await exchange(bound, { authorization: basic('web', 'x') })
  t.same(await oauthError(t, withBasic), [401, 'invalid_client'], 'a secret in the header')
  t.same(await oauthError(t, await exchange({ ...bound, client_id: client.id })), [401, 'invalid_client'])
  t.same(await oauthError(t, await exchange({ ...bound, client_id: undefined })), [401, 'invalid_client'])
  for (const grant of ['password', 'client_credentials'])
    t.same(await oauthError(t, await exchange({ ...bound, grant_type: grant })), [400, 'unauthorized_client'])
  await updateStoredClient(db, 'web', { grantTypes: ['password'] })
  const login = { grant_type: 'password', username: user.email, password: user.password }
  t.same(await oauthError(t, await exchange(login)), [400, 'unauthorized_client'], 'as plain SQL may')
  await updateStoredClient(db, 'web', { grantTypes: ['authorization_code', 'refresh_token'] })
  const introspection = await fetch(`${url}/oauth/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'web', token: 'x' })
  })
  t.equal(introspection.status, 401, 'it may not introspect')
  const grants = { grantTypes: ['authorization_code'], redirectUris: [redirectUri], firstParty: true }
  await addClient(db, { id: 'server', secretHash: hashSecret('s'), ...grants })
  const ofServer = { ...(await code({ client_id: 'server' })), client_id: 'server' }
  t.same(await oauthError(t, await exchange(ofServer)), [401, 'invalid_client'])
  const right = await exchange(ofServer, { authorization: basic('server', 's') })
  t.equal(right.status, 200)
  t.notMatch(await right.json(), { refresh_token: String }, 'only with that grant')
})

t.test('P35 refresh tokens of a public client rotate, and reuse ends the login', async t => {
  const { db, url, code, exchange, tokens } = await start(t)
  const first = await tokens(await code())
  const refresh = (token = '') => ({ grant_type: 'refresh_token', refresh_token: token })
  const second = await tokens(refresh(first.refresh_token))
  t.ok(await works(url, second.access_token))
  await endGracePeriod(db)
  t.equal((await exchange(refresh(first.refresh_token))).status, 400)
  t.notOk(await works(url, second.access_token))
  t.equal((await exchange(refresh(second.refresh_token))).status, 400)
  const third = await tokens(await code())
  const revoked = await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'web', token: third.refresh_token ?? '' })
  })
  t.equal(revoked.status, 200, 'and it may revoke them')
  t.notOk(await works(url, third.access_token))
})

t.test('P36 a user who was disabled or has a new password gets no token', async t => {
  const { db, code, exchange } = await start(t)
  const hash = (await findUserByEmail(db, user.email))?.passwordHash as string
  const first = await code()
  await updatePassword(db, user.email, hash)
  t.same(await oauthError(t, await exchange(first)), [400, 'invalid_grant'])
  const second = await code()
  await setUserDisabled(db, user.email, true)
  t.same(await oauthError(t, await exchange(second)), [400, 'invalid_grant'])
})

/** Ways to remove the client `web`. The shell of SQLite deletes only its row, unless it was told otherwise. */
const removals: Record<string, (db: Db) => Promise<void>> = {
  'by the command': db => clients.delete(db, 'web'),
  ...(engine === 'sqlite' && {
    'without its references': async db => {
      const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db)
      const shell = new Sqlite(rows[0]?.file)
      shell.pragma('foreign_keys = off')
      shell.exec(`delete from product_client where id = 'web'`)
      shell.close()
    }
  })
}

for (const [how, remove] of Object.entries(removals))
  t.test(`P25 P36 nothing of a client that was removed ${how} is left for one of the same id`, async t => {
    const { db, code, exchange, tokens } = await start(t)
    const userId = (await findUserByEmail(db, user.email))?.id as string
    const { refresh_token } = await tokens(await code())
    const bound = await code()
    await transact(db, transaction => addConsent(transaction, { userId, clientId: 'web' }, ['read']))
    await remove(db)
    await addWebClient(db)
    const refresh = await exchange({ grant_type: 'refresh_token', refresh_token })
    t.same(await oauthError(t, refresh), [400, 'invalid_grant'])
    t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'])
    t.same(await listConsents(db, userId), [])
  })

t.test('P36 a client or user who allows less since the code was sent', async t => {
  const { db, code, exchange, tokens } = await start(t)
  const bound = () => code({ scope: 'read write' })
  const narrowed = await bound()
  await updateStoredClient(db, 'web', { scopes: ['write'] })
  t.equal((await tokens(narrowed)).scope, 'write')
  await updateStoredClient(db, 'web', { scopes: ['read', 'write'] })
  const read = await code()
  await updateStoredClient(db, 'web', { scopes: ['write'] })
  t.same(await oauthError(t, await exchange(read)), [400, 'invalid_grant'], 'no token without a scope')
  await updateStoredClient(db, 'web', { scopes: ['read', 'write'] })
  const [kept, refused] = [await bound(), await bound()]
  const parties = { userId: (await findUserByEmail(db, user.email))?.id as string, clientId: 'web' }
  await updateStoredClient(db, 'web', { firstParty: false })
  await transact(db, transaction => addConsent(transaction, parties, ['read']))
  t.equal((await tokens(kept)).scope, 'read')
  await deleteConsent(db, parties)
  t.same(await oauthError(t, await exchange(refused)), [400, 'invalid_grant'], 'the consent was taken back')
})

t.test('P36 a role that allows none of the scopes any more uses the code up', async t => {
  const { db, code, exchange } = await start(t)
  const bound = await code({ scope: 'write' })
  await users.update(db, user.email, { role: 'reader' })
  const countFamilies = async () =>
    (await db.selectFrom('product_token_family').select('id').execute()).length
  const families = await countFamilies()
  t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_scope'])
  t.equal(await countFamilies(), families, 'nobody would get its tokens')
  await users.update(db, user.email, { role: 'publisher' })
  t.same(await oauthError(t, await exchange(bound)), [400, 'invalid_grant'])
})

t.test("a higher role adds the scopes of the operator's own clients with the next refresh", async t => {
  const { db, url, code, tokens } = await start(t)
  await users.update(db, user.email, { role: 'reader' })
  const { access_token, refresh_token, scope } = await tokens(await code({ scope: 'read write' }))
  t.equal(scope, 'read')
  await users.update(db, user.email, { role: 'editor' })
  t.match((await query(url, access_token, '{ viewer { scopes } }')).body.data, {
    viewer: { scopes: ['read'] }
  })
  const form = { grant_type: 'refresh_token', refresh_token, redirect_uri: undefined }
  t.equal((await tokens(form)).scope, 'read write')
})

t.test('P37 the metadata says what is supported', async t => {
  const { url } = await start(t)
  t.match(await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json(), {
    authorization_endpoint: `${url}/oauth/authorize`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    grant_types_supported: ['password', 'client_credentials', 'refresh_token', 'authorization_code'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none']
  })
})

t.test(
  'a code injected into another session is worth nothing without its verifier, RFC 9700 §4.5',
  async t => {
    const { db, code, exchange } = await start(t)
    await addUser(db, { email: 'eve@example.com' })
    const stolen = await code()
    const own = await code()
    const injected = await exchange({ code: stolen.code, code_verifier: own.code_verifier })
    t.same(await oauthError(t, injected), [400, 'invalid_grant'])
  }
)
