/** RFC 6749 §6, RFC 9700 §4.14.2: refresh tokens. */
import { decodeJwt } from 'jose'
import { type Test, t } from 'tap'
import { hashPassword } from '../../../accounts/credentials/secrets.ts'
import { deleteClient as deleteClientRow } from '../../../db/accounts/clients.ts'
import { revokeFamilies } from '../../../db/accounts/refresh-tokens.ts'
import { findUserByEmail, setUserDisabled, updatePassword } from '../../../db/accounts/users.ts'
import type { AnyDb, Db } from '../../../db/schema.ts'
import { secondsFromNow } from '../../../domain/timestamp.ts'
import { productTemplates } from '../../../index.ts'
import { clients } from '../../../store.ts'
import { runBetween } from '../../support/database/run-between.ts'
import { accessToken, basic, oauthError, query, tokenRequest } from '../../support/http/http.ts'
import {
  addClient,
  addUser,
  cheapHash,
  client,
  database,
  deleteExpired,
  endGracePeriod,
  host,
  type Service,
  service,
  user
} from '../../support/service/service.ts'

interface Issued {
  access_token: string
  refresh_token: string
  scope: string
}

/** A service with a client that may refresh, and a login of it. */
async function login(t: Test, options: Parameters<typeof service>[1] = {}) {
  const running = await service(t, options)
  await addClient(running.db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const headers = { authorization: basic('app', client.secret) }
  const first = (await (await tokenRequest(running.url, {}, headers)).json()) as Issued
  return { ...running, first, refresh: (token: string, more = {}) => refresh(running, token, more) }
}

const refresh = ({ url }: Service, token: string | undefined, more = {}, id = 'app') =>
  tokenRequest(
    url,
    { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token: token, ...more },
    { authorization: basic(id, client.secret) }
  )

const opens = async (url: string, token: string) => (await query(url, token, '{ __typename }')).status === 200

t.test('R01 a refresh token gives new tokens and is spent', async t => {
  const { url, first, refresh } = await login(t)
  t.match(first.refresh_token, /^[\w-]{43}$/)
  const response = await refresh(first.refresh_token)
  t.equal(response.status, 200)
  const second = (await response.json()) as Issued
  t.match(second, { first_name: 'Ada', scope: 'read write', token_type: 'bearer' })
  t.not(second.refresh_token, first.refresh_token)
  t.ok(await opens(url, second.access_token))
  t.same(await oauthError(t, await refresh(first.refresh_token)), [400, 'invalid_grant'])
  t.equal((await refresh(second.refresh_token)).status, 200)
})

t.test('R01 a login by a grant that only a newer program knows is refreshed without a profile', async t => {
  const { db, first, refresh } = await login(t)
  await db.updateTable('product_token_family').set({ grant_type: 'device_code' }).execute()
  const second = await refresh(first.refresh_token)
  t.equal(second.status, 200)
  t.notMatch(await second.json(), { first_name: String })
})

t.test('R01 a login by password has the profile whatever its scope is, also when refreshed', async t => {
  const { db, url } = await login(t)
  await clients.update(db, 'app', { scopes: ['read', 'write', 'profile'] })
  const headers = { authorization: basic('app', client.secret) }
  const first = (await (await tokenRequest(url, {}, headers)).json()) as Issued
  t.match(first, { scope: 'read write', first_name: 'Ada' }, 'the scope of the contract')
  const narrowed = (await (
    await refresh({ url } as Service, first.refresh_token, { scope: 'read' })
  ).json()) as Issued
  t.match(narrowed, { scope: 'read', first_name: 'Ada', wallets: Array })
  const asked = (await (await tokenRequest(url, { scope: 'read profile' }, headers)).json()) as Issued
  t.match(asked, { scope: 'read profile', first_name: 'Ada' })
  await clients.update(db, 'app', { scopes: ['profile'] })
  t.same(await oauthError(t, await tokenRequest(url, {}, headers)), [400, 'invalid_scope'], 'none by default')
})

t.test('R01 only a client that was given the grant gets a refresh token', async t => {
  const { url } = await login(t)
  const body = (await (await tokenRequest(url)).json()) as Issued
  t.notOk('refresh_token' in body)
  t.equal(decodeJwt(body.access_token).sid, undefined)
})

t.test('R02 reusing a token after the grace period revokes the family and its access tokens', async t => {
  const { url, db, first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  t.ok(await opens(url, second.access_token))
  await endGracePeriod(db)
  t.same(await oauthError(t, await refresh(first.refresh_token)), [400, 'invalid_grant'])
  t.same(await oauthError(t, await refresh(second.refresh_token)), [400, 'invalid_grant'])
  t.notOk(await opens(url, first.access_token))
  t.notOk(await opens(url, second.access_token))
})

t.test('R02 reusing a token two generations old revokes the family even within the grace period', async t => {
  const { first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  const third = (await (await refresh(second.refresh_token)).json()) as Issued
  t.equal((await refresh(first.refresh_token)).status, 400)
  t.equal((await refresh(third.refresh_token)).status, 400)
})

t.test('R03 of twenty concurrent refreshes, exactly one succeeds', async t => {
  const { first, refresh } = await login(t)
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(first.refresh_token)))
  const codes = answers.map(({ status }) => status)
  t.equal(codes.filter(status => status === 200).length, 1)
  t.equal(codes.filter(status => status === 400).length, 19)
  const winner = answers.find(({ status }) => status === 200)
  t.equal(
    (await refresh(((await (winner as Response).json()) as Issued).refresh_token)).status,
    200,
    'and the family lives'
  )
})

t.test('R04 reuse within the grace period is refused, and the family stays valid', async t => {
  const { first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  t.same(await oauthError(t, await refresh(first.refresh_token)), [400, 'invalid_grant'])
  t.equal((await refresh(second.refresh_token)).status, 200)
})

t.test('R04 a use by a clock that was far ahead does not make the grace period longer', async t => {
  const { db, first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  const use = (time: string) =>
    db
      .updateTable('product_refresh_token')
      .set({ time_used: time })
      .where('time_used', 'is not', null)
      .execute()
  await use(secondsFromNow(50))
  t.equal((await refresh(first.refresh_token)).status, 400)
  const third = (await (await refresh(second.refresh_token)).json()) as Issued
  t.ok(third.refresh_token, 'the family lives')
  await use(secondsFromNow(3600))
  t.equal((await refresh(second.refresh_token)).status, 400)
  t.equal((await refresh(third.refresh_token)).status, 400, 'the family is revoked')
})

t.test("R05 another client's attempt is refused before the check for reuse", async t => {
  const running = await login(t)
  await addClient(running.db, { id: 'thief', grantTypes: ['password', 'refresh_token'] })
  const second = (await (await running.refresh(running.first.refresh_token)).json()) as Issued
  await endGracePeriod(running.db)
  for (const token of [running.first.refresh_token, second.refresh_token]) {
    t.same(await oauthError(t, await refresh(running, token, {}, 'thief')), [400, 'invalid_grant'])
  }
  t.equal((await running.refresh(second.refresh_token)).status, 200)
})

t.test('R06 R07 the scope of a refresh may be narrower, never wider', async t => {
  const { refresh, first } = await login(t)
  const narrow = (await (await refresh(first.refresh_token, { scope: 'read' })).json()) as Issued
  t.same([narrow.scope, decodeJwt(narrow.access_token).scope], ['read', 'read'])
  const full = (await (await refresh(narrow.refresh_token)).json()) as Issued
  t.equal(full.scope, 'read write')
  t.same(await oauthError(t, await refresh(full.refresh_token, { scope: 'read admin' })), [
    400,
    'invalid_scope'
  ])
  t.equal((await refresh(full.refresh_token)).status, 200, 'the refused one is not spent')
})

t.test('R07 the scope is never wider than that of the login', async t => {
  const running = await service(t)
  await addClient(running.db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const headers = { authorization: basic('app', client.secret) }
  const first = (await (await tokenRequest(running.url, { scope: 'read' }, headers)).json()) as Issued
  t.same(await oauthError(t, await refresh(running, first.refresh_token, { scope: 'read write' })), [
    400,
    'invalid_scope'
  ])
})

t.test('R08 R09 an invalid or missing refresh token is refused', async t => {
  const running = await login(t)
  for (const token of ['x', 'A'.repeat(43), running.first.access_token, "' or 1=1 --"]) {
    t.same(await oauthError(t, await running.refresh(token)), [400, 'invalid_grant'])
  }
  t.same(await oauthError(t, await refresh(running, undefined)), [400, 'invalid_request'])
  t.same(await oauthError(t, await running.refresh('')), [400, 'invalid_request'])
})

t.test('R10 a new password or disabling the user revokes the family', async t => {
  const changed = await login(t)
  const id = (await findUserByEmail(changed.db, user.email))?.id as string
  await revokeFamilies(changed.db, { user_id: id })
  t.same(await oauthError(t, await changed.refresh(changed.first.refresh_token)), [400, 'invalid_grant'])
  t.notOk(await opens(changed.url, changed.first.access_token))

  const disabled = await login(t)
  await setUserDisabled(disabled.db, user.email, true)
  t.same(await oauthError(t, await disabled.refresh(disabled.first.refresh_token)), [400, 'invalid_grant'])
  t.notOk(await opens(disabled.url, disabled.first.access_token))
})

t.test('R10 a login started with the old password fails', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  for (const change of [
    () => updatePassword(db, user.email, 'x'),
    () => setUserDisabled(db, user.email, true)
  ]) {
    const app = host(t)
    await app.register(productTemplates, { db: runBetween(db, 'product_user_wallet', change), ...cheapHash })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const login = await tokenRequest(url, {}, { authorization: basic('app', client.secret) })
    t.same(await oauthError(t, login), [400, 'invalid_grant'])
    t.same(await db.selectFrom('product_token_family').select('id').execute(), [])
    await restore(db)
  }

  const app = host(t)
  const change = () => updatePassword(db, user.email, 'x')
  await app.register(productTemplates, { db: runBetween(db, 'product_user_wallet', change), ...cheapHash })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  t.notOk(await opens(url, await accessToken(url)), 'nor an access token alone')
})

t.test('R10 a login of a client that is deleted meanwhile fails', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const app = host(t)
  const deleting = runBetween(db, 'product_user_wallet', () => deleteClientRow(db, 'app'))
  await app.register(productTemplates, { db: deleting, ...cheapHash })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const login = () => tokenRequest(url, {}, { authorization: basic('app', client.secret) })
  const [during, after] = [await login(), await login()]
  t.same(await oauthError(t, during), [401, 'invalid_client'])
  t.ok(after.headers.get('www-authenticate'))
  t.equal(during.headers.get('www-authenticate'), after.headers.get('www-authenticate'))
})

/** The user as `addUser` made it. */
async function restore(db: Db) {
  const password_hash = await hashPassword(user.password, cheapHash)
  await db.updateTable('product_user').set({ password_hash, time_disabled: null }).execute()
}

t.test('R11 refreshing does not extend the lifetime of the login', async t => {
  const { db, first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  const { time_created, time_expires } = await db
    .selectFrom('product_token_family')
    .selectAll()
    .executeTakeFirstOrThrow()
  t.equal(Math.round((Date.parse(time_expires) - Date.parse(time_created)) / 1000), 2_592_000)
  await db.updateTable('product_token_family').set({ time_expires: time_created }).execute()
  t.same(await oauthError(t, await refresh(second.refresh_token)), [400, 'invalid_grant'])
})

t.test(
  'R02 V02 an access token of a revoked login stays dead, the rows of the login gone or not',
  async t => {
    const { url, db, first } = await login(t, { refreshTokenTtl: 60, accessTokenTtl: 600 })
    const headers = { authorization: basic('app', client.secret) }
    const live = (await (await tokenRequest(url, {}, headers)).json()) as Issued
    const revoked = await fetch(`${url}/oauth/revoke`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ token: first.refresh_token })
    })
    t.equal(revoked.status, 200)
    const families = async () => (await db.selectFrom('product_token_family').select('id').execute()).length
    const maintainAt = async (seconds: number) => {
      const realNow = Date.now
      Date.now = () => realNow() + seconds * 1000
      await deleteExpired(db, 600).finally(() => {
        Date.now = realNow
      })
    }
    await maintainAt(500)
    t.equal(await families(), 2, 'kept while access tokens of theirs live')
    t.same([await opens(url, first.access_token), await opens(url, live.access_token)], [false, true])
    await maintainAt(800)
    t.equal(await families(), 0)
    t.notOk(await opens(url, first.access_token), 'without its family it is no better')
  }
)

t.test('R12 the database contains nothing that could be sent as a token', async t => {
  const { db, first, refresh } = await login(t)
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(({ name }) => (db as AnyDb).selectFrom(name).selectAll().execute())
  )
  const stored = JSON.stringify(rows)
  t.ok(stored.includes(user.email))
  for (const token of [first.refresh_token, second.refresh_token, client.secret, user.password])
    t.notOk(stored.includes(token))
})

t.test('R03 a failure between the statements of a refresh leaves the old token valid', async t => {
  const { db, first, refresh } = await login(t)
  const { id } = await db.selectFrom('product_token_family').select('id').executeTakeFirstOrThrow()
  // In the way of the next token, once the first one is marked as used.
  const inTheWay = { hash: 'x', family_id: id, generation: 1 }
  await db.insertInto('product_refresh_token').values(inTheWay).execute()
  t.equal((await refresh(first.refresh_token)).status, 500)
  await db.deleteFrom('product_refresh_token').where('hash', '=', 'x').execute()
  t.equal((await refresh(first.refresh_token)).status, 200)
})

t.test('R13 a client that lost a scope, or removed, gets no more of it by a refresh token', async t => {
  const { db, first, refresh } = await login(t)
  await clients.update(db, 'app', { scopes: ['read'] })
  t.same(await oauthError(t, await refresh(first.refresh_token, { scope: 'write' })), [400, 'invalid_scope'])
  const second = (await (await refresh(first.refresh_token)).json()) as Issued
  t.equal(second.scope, 'read')
  await clients.update(db, 'app', { scopes: ['write'] })
  const third = (await (await refresh(second.refresh_token)).json()) as Issued
  t.equal(third.scope, 'write', 'the login was for both')
  await db.updateTable('product_token_family').set({ scope: 'read' }).execute()
  t.same(await oauthError(t, await refresh(third.refresh_token)), [400, 'invalid_grant'])
  await clients.delete(db, 'app')
  t.same(await oauthError(t, await refresh(third.refresh_token)), [401, 'invalid_client'])
  t.same(await db.selectFrom('product_token_family').selectAll().execute(), [])
})
