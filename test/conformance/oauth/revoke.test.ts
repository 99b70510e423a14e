/** RFC 7009: revocation. */
import { type Test, t } from 'tap'
import { accessToken, basic, oauthError, query, tokenRequest } from '../../support/http/http.ts'
import { secret } from '../../support/service/secrets.ts'
import { addClient, client, service } from '../../support/service/service.ts'

async function started(t: Test) {
  const running = await service(t)
  await addClient(running.db, { id: 'app', grantTypes: ['password', 'refresh_token'] })
  const post = (parameters: Record<string, string>, authorization = basic()) =>
    fetch(`${running.url}/oauth/revoke`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(parameters)
    })
  const app = basic('app', client.secret)
  const login = async () =>
    (await (await tokenRequest(running.url, {}, { authorization: app })).json()) as Record<string, string>
  const opens = async (token: string) => (await query(running.url, token, '{ __typename }')).status === 200
  const refresh = (refresh_token: string) =>
    tokenRequest(
      running.url,
      { grant_type: 'refresh_token', username: undefined, password: undefined, refresh_token },
      { authorization: app }
    )
  return { ...running, post, app, login, opens, refresh }
}

t.test('V01 a revoked access token is refused at once', async t => {
  const { url, post, opens } = await started(t)
  const token = await accessToken(url)
  t.ok(await opens(token))
  const response = await post({ token })
  t.same([response.status, await response.text()], [200, '{}'], 'some clients read every response as JSON')
  t.match(response.headers.get('content-type'), /^application\/json/)
  t.equal(response.headers.get('cache-control'), 'no-store')
  t.notOk(await opens(token))
  t.ok(await opens(await accessToken(url)), 'another one is not')
})

t.test('V02 revoking a refresh token revokes its access tokens', async t => {
  const { post, app, login, opens, refresh } = await started(t)
  const { access_token = '', refresh_token = '' } = await login()
  t.equal((await post({ token: refresh_token }, app)).status, 200)
  t.notOk(await opens(access_token))
  t.same(await oauthError(t, await refresh(refresh_token)), [400, 'invalid_grant'])
})

t.test('V03 unknown, malformed and revoked tokens are 200', async t => {
  const { url, post } = await started(t)
  const token = await accessToken(url)
  for (const given of ['x', 'e30.e30.e30', `${token}x`, token, token])
    t.equal((await post({ token: given })).status, 200)
})

t.test('V04 a wrong token_type_hint does not matter', async t => {
  const { url, post, opens } = await started(t)
  for (const token_type_hint of ['refresh_token', 'nonsense', 'access_token']) {
    const token = await accessToken(url)
    t.equal((await post({ token, token_type_hint })).status, 200)
    t.notOk(await opens(token), token_type_hint)
  }
})

t.test("V05 revoking another client's token is refused, and the token stays valid", async t => {
  const { post, login, opens, refresh } = await started(t)
  const { access_token = '', refresh_token = '' } = await login()
  for (const token of [access_token, refresh_token]) {
    t.same(await oauthError(t, await post({ token })), [400, 'invalid_request'])
  }
  t.ok(await opens(access_token))
  t.equal((await refresh(refresh_token)).status, 200)
})

t.test('V06 a missing, empty or repeated token and other methods are refused', async t => {
  const { url, post } = await started(t)
  t.same(await oauthError(t, await post({})), [400, 'invalid_request'])
  t.same(await oauthError(t, await post({ token: '' })), [400, 'invalid_request'])
  const twice = await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'token=a&token=a'
  })
  t.same(await oauthError(t, twice), [400, 'invalid_request'])
  const get = await fetch(`${url}/oauth/revoke?token=x`, { headers: { authorization: basic() } })
  t.same([get.status, get.headers.get('allow')], [405, 'POST'])
})

t.test('V07 a failed client authentication is 401, and nothing is revoked', async t => {
  const { url, post, opens } = await started(t)
  const token = await accessToken(url)
  const response = await post({ token }, basic(client.id, secret('wrong')))
  t.match(response.headers.get('www-authenticate'), /^Basic /)
  t.same(await oauthError(t, response), [401, 'invalid_client'])
  t.ok(await opens(token))
})
