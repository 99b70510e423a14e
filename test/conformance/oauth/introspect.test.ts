/** RFC 7662: introspection. */
import { decodeJwt } from 'jose'
import { type Test, t } from 'tap'
import { setUserDisabled } from '../../../db/accounts/users.ts'
import { productTemplates } from '../../../index.ts'
import { accessToken, basic, oauthError, tokenRequest } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import { addClient, cheapHash, client, host, service, user } from '../../support/service/service.ts'

const post = (
  url: string,
  parameters: Record<string, string>,
  authorization = basic(),
  path = 'introspect'
) =>
  fetch(`${url}/oauth/${path}`, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams(parameters)
  })

const ask = async (url: string, token: string, authorization?: string) => {
  const response = await post(url, { token }, authorization)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const inactive = { status: 200, body: { active: false } }

async function refreshing(t: Test) {
  const running = await service(t)
  await addClient(running.db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const app = basic('app', client.secret)
  const login = (await (await tokenRequest(running.url, {}, { authorization: app })).json()) as Record<
    string,
    string
  >
  return {
    ...running,
    app,
    accessToken: login.access_token as string,
    refreshToken: login.refresh_token as string
  }
}

t.test('I01 a valid access token is active, with its claims', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const { scope, client_id, exp, iat, sub, aud, iss, jti } = decodeJwt(token)
  t.same(await ask(url, token), {
    status: 200,
    body: { active: true, scope, client_id, exp, iat, sub, aud, iss, jti, token_type: 'bearer' }
  })
})

t.test('I01 a usable refresh token is active', async t => {
  const { url, app, refreshToken } = await refreshing(t)
  t.match(await ask(url, refreshToken, app), {
    body: { active: true, scope: 'read write', client_id: 'app', exp: Number }
  })
})

t.test('I02 everything else is exactly inactive', async t => {
  const { url, db, app, accessToken: ofApp, refreshToken } = await refreshing(t)
  const other = await service(t)
  const revoked = await accessToken(url)
  await post(url, { token: revoked }, basic(), 'revoke')
  for (const token of [
    'x',
    'e30.e30.e30',
    revoked,
    `${ofApp.slice(0, -4)}AAAA`,
    await accessToken(other.url)
  ]) {
    t.same(await ask(url, token), inactive)
  }
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  t.equal((await post(url, form, app, 'token')).status, 200)
  t.same(await ask(url, refreshToken, app), inactive, 'a used refresh token')
  t.match(await ask(url, ofApp, app), { body: { active: true } })
  await setUserDisabled(db, user.email, true)
  t.same(await ask(url, ofApp, app), inactive, 'a disabled user')
})

t.test('I02 a refresh token of a grant that is turned off is inactive', async t => {
  const { url, db, app, refreshToken } = await refreshing(t)
  const other = host(t)
  await other.register(productTemplates, { db, ...cheapHash, passwordLogin: false })
  const without = await other.listen({ port: 0, host: '127.0.0.1' })
  t.match(await ask(url, refreshToken, app), { body: { active: true } })
  t.same(await ask(without, refreshToken, app), inactive)
})

t.test('I02 an expired one is inactive', async t => {
  const { url, app } = await service(t)
  const token = await accessToken(url)
  const { exp = 0 } = decodeJwt(token)
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => (exp + 1) * 1000
  t.same(await ask(url, token), inactive)
  t.ok(app)
})

t.test(
  'I03 a failed client authentication is 401; without permission a client sees only its own tokens',
  async t => {
    const { url, db } = await service(t)
    await addClient(db, { id: 'nosy' })
    await addClient(db, { id: 'gateway', mayIntrospect: true })
    const token = await accessToken(url)
    const wrong = await post(url, { token }, basic(client.id, secret('wrong')))
    t.match(wrong.headers.get('www-authenticate'), /^Basic /)
    t.same(await oauthError(t, wrong), [401, 'invalid_client'])
    t.same(await ask(url, token, basic('nosy', client.secret)), inactive)
    t.match(await ask(url, token, basic('gateway', client.secret)), {
      body: { active: true, client_id: client.id }
    })
  }
)

t.test('I04 a missing or repeated token and other methods are refused', async t => {
  const { url } = await service(t)
  t.same(await oauthError(t, await post(url, {})), [400, 'invalid_request'])
  const twice = await fetch(`${url}/oauth/introspect`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'token=a&token=a'
  })
  t.same(await oauthError(t, twice), [400, 'invalid_request'])
  t.equal((await fetch(`${url}/oauth/introspect`, { headers: { authorization: basic() } })).status, 405)
})

t.test('I05 the answer is never cached', async t => {
  const { url } = await service(t)
  t.equal((await post(url, { token: 'x' })).headers.get('cache-control'), 'no-store')
})
