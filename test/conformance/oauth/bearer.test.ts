// Runs on SQLite only.
import { decodeJwt } from 'jose'
import { t } from 'tap'
import { revokeToken } from '../../../db/accounts/token-status.ts'
import { setUserDisabled } from '../../../db/accounts/users.ts'
import { clients, users } from '../../../store.ts'
import { accessToken, basic, graphqlRequest, tokenRequest, visible } from '../../support/http/http.ts'
import { forger, forgeTokens } from '../../support/identity/forged-tokens.ts'
import { addClient, addUser, client, deleteExpired, service, user } from '../../support/service/service.ts'

t.test(
  'J06 J13 the forger can sign: its tokens are accepted, and keys in the header are ignored',
  async t => {
    const { url, claims, sign, signRaw } = await forger(await service(t))
    const strangers = {
      jwk: { kty: 'EC' },
      jku: 'http://127.0.0.1:1/',
      x5u: 'http://127.0.0.1:1/',
      x5c: ['x']
    }
    for (const token of [
      await signRaw(JSON.stringify(claims)),
      await signRaw(JSON.stringify(claims), strangers),
      await sign({ ...claims, aud: ['x', claims.aud] })
    ]) {
      t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 200)
    }
    t.equal((await graphqlRequest(url, await sign(claims), { query: '{ __typename }' })).status, 200)
  }
)

t.test('J01-J12 J14-J18 J22 every bad token is 401 with one identical answer', async t => {
  const running = await service(t)
  const { url } = running
  const tokens = await forgeTokens(running)
  const answers = new Set<string>()
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await visible(await graphqlRequest(url, token, { query: '{ __typename }' }))
    t.equal(answer.status, 401, name)
    t.match(answer.headers['www-authenticate'], /error="invalid_token"/, name)
    answers.add(JSON.stringify(answer))
  }
  t.equal(answers.size, 1)
})

t.test('J20 a token of another service with the same issuer is refused', async t => {
  const issuer = 'https://templates.example.com'
  const one = await service(t, { issuer })
  const two = await service(t, { issuer })
  const token = await accessToken(one.url)
  t.equal((await graphqlRequest(one.url, token, { query: '{ __typename }' })).status, 200)
  t.equal((await graphqlRequest(two.url, token, { query: '{ __typename }' })).status, 401)
})

t.test('J19 a token is refused after it was revoked or its user, client or key disabled', async t => {
  const { url, db } = await service(t)
  const revoked = await accessToken(url)
  await revokeToken(db, decodeJwt(revoked).jti as string, decodeJwt(revoked).exp as number)
  const ofUser = await accessToken(url)
  t.equal((await graphqlRequest(url, revoked, { query: '{ __typename }' })).status, 401)
  t.equal((await graphqlRequest(url, ofUser, { query: '{ __typename }' })).status, 200)
  await setUserDisabled(db, user.email, true)
  t.equal((await graphqlRequest(url, ofUser, { query: '{ __typename }' })).status, 401)
  await setUserDisabled(db, user.email, false)
  t.equal((await graphqlRequest(url, ofUser, { query: '{ __typename }' })).status, 401, 'for good')
  const ofClient = await accessToken(url)
  t.equal((await graphqlRequest(url, ofClient, { query: '{ __typename }' })).status, 200)
  await clients.disable(db, client.id)
  t.equal((await graphqlRequest(url, ofClient, { query: '{ __typename }' })).status, 401)
})

t.test('J19 a token whose user or client was deleted, by whatever means', async t => {
  const { url, db } = await service(t)
  await addClient(db, { id: 'machine', grantTypes: ['client_credentials', 'password', 'refresh_token'] })
  const machine = { authorization: basic('machine', client.secret) }
  const itself = { grant_type: 'client_credentials', username: undefined, password: undefined }
  const opens = async (token: string) =>
    (await graphqlRequest(url, token, { query: '{ __typename }' })).status === 200
  const ofUser = await accessToken(url)
  const { access_token: ofLogin, refresh_token: refreshToken } = (await (
    await tokenRequest(url, {}, machine)
  ).json()) as Record<string, string>
  const ofMachine = await accessToken(url, itself, machine)
  t.same([await opens(ofUser), await opens(ofLogin ?? ''), await opens(ofMachine)], [true, true, true])
  await db.deleteFrom('product_user').where('email', '=', user.email).execute()
  t.same([await opens(ofUser), await opens(ofLogin ?? ''), await opens(ofMachine)], [false, false, true])
  const refresh = { ...itself, grant_type: 'refresh_token', refresh_token: refreshToken }
  t.equal((await tokenRequest(url, refresh, machine)).status, 400)
  await db.deleteFrom('product_client').where('id', '=', 'machine').execute()
  t.notOk(await opens(ofMachine))
})

t.test('J19 tokens of a removed client stay invalid if its id and secret are added again', async t => {
  const { url, db } = await service(t)
  const grantTypes = ['client_credentials', 'password', 'refresh_token']
  const add = () => addClient(db, { id: 'machine', grantTypes, mayIntrospect: true })
  const machine = { authorization: basic('machine', client.secret) }
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${url}${path}`, { method: 'POST', headers: machine, body: new URLSearchParams(form) })
  const itself = { grant_type: 'client_credentials', username: undefined, password: undefined }
  /** Logs in twice: as a user and as the client. Returns what both tokens and the refresh token are worth. */
  const logIn = async () => {
    const login = (await (await tokenRequest(url, {}, machine)).json()) as Record<string, string>
    const { access_token: ofLogin = '', refresh_token: refresh = '' } = login
    const tokens = [ofLogin, await accessToken(url, itself, machine)]
    return async () => {
      const statuses: unknown[] = []
      for (const token of tokens)
        statuses.push((await graphqlRequest(url, token, { query: '{ __typename }' })).status)
      for (const token of [...tokens, refresh])
        statuses.push(
          ((await (await post('/oauth/introspect', { token })).json()) as { active: boolean }).active
        )
      return statuses
    }
  }
  const [all, none] = [
    [200, 200, true, true, true],
    [401, 401, false, false, false]
  ]
  await add()
  // As plain SQL adds it.
  await db.updateTable('product_client').set({ token_epoch: 0 }).where('id', '=', 'machine').execute()
  const old = await logIn()
  t.same(await old(), all)
  await clients.delete(db, 'machine')
  await add()
  t.same(await old(), none, 'added by plain SQL')
  const first = await logIn()
  t.same(await first(), all)
  await clients.delete(db, 'machine')
  await add()
  t.same(await first(), none, 'in the same second')
  t.same(await (await logIn())(), all)
})

t.test('J19 tokens of a removed user stay invalid if the address is added again', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  await users.delete(db, user.email)
  await addUser(db)
  t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 401)
  t.not(decodeJwt(await accessToken(url)).sub, decodeJwt(token).sub)
})

t.test('J19 a revocation is kept until the token has expired by every clock', async t => {
  const { url, db } = await service(t)
  const token = await accessToken(url)
  const { jti = '', exp = 0 } = decodeJwt(token)
  await revokeToken(db, jti, exp)
  const realNow = Date.now
  const maintainAt = async (second: number) => {
    Date.now = () => second * 1000
    await deleteExpired(db).finally(() => {
      Date.now = realNow
    })
  }
  await maintainAt(exp + 59)
  t.equal((await graphqlRequest(url, token, { query: '{ __typename }' })).status, 401, 'by a clock behind')
  await maintainAt(exp + 61)
  t.same(await db.selectFrom('product_revoked_token').select('jti').execute(), [])
})

t.test('a token of the future is refused, also one that was used before the clock was set back', async t => {
  const { url } = await service(t)
  const [used, fresh] = [await accessToken(url), await accessToken(url)]
  const status = async (token: string) =>
    (await graphqlRequest(url, token, { query: '{ __typename }' })).status
  t.equal(await status(used), 200)
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  for (const [back, expected] of [
    [50, 200],
    [70, 401]
  ] as const) {
    Date.now = () => realNow() - back * 1000
    t.same([await status(used), await status(fresh)], [expected, expected], `${back} seconds back`)
  }
})

t.test('J22 a header of 20 KB is 431', async t => {
  const { url } = await service(t)
  t.equal((await graphqlRequest(url, 'x'.repeat(20_000), { query: '{ __typename }' })).status, 431)
})

t.test('B01 without a token the challenge has no error, and the answer no data', async t => {
  const { url } = await service(t)
  const response = await fetch(`${url}/graphql`, { method: 'POST' })
  t.equal(response.headers.get('www-authenticate'), 'Bearer realm="product-templates"')
  t.same([response.status, Object.keys((await response.json()) as object)], [401, ['errors']])
})

t.test('B02 B03 B04 the scheme in any case; one token and nothing else', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const send = (authorization: string) =>
    graphqlRequest(url, '', { query: '{ __typename }' }, { authorization })
  for (const scheme of ['bearer', 'BEARER']) t.equal((await send(`${scheme} ${token}`)).status, 200)
  const malformed = [
    'Bearer',
    `Bearer  ${token}`,
    `Bearer\t${token}`,
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`
  ]
  for (const authorization of malformed) {
    const response = await send(authorization)
    t.match(response.headers.get('www-authenticate'), /error="invalid_request"/)
    t.equal(response.status, 400, authorization.slice(0, 9))
  }
  const basicCredentials = await send('Basic dTpw')
  t.same(
    [basicCredentials.status, basicCredentials.headers.get('www-authenticate')],
    [401, 'Bearer realm="product-templates"']
  )
})

t.test('B05 B06 a token in the URL is ignored; a second one in the URL is 400', async t => {
  const { url } = await service(t)
  const token = await accessToken(url)
  const post = (headers: Record<string, string>) =>
    fetch(`${url}/graphql?access_token=${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"query":"{ __typename }"}'
    })
  t.equal((await post({})).status, 401)
  t.equal((await post({ authorization: `Bearer ${token}` })).status, 400)
})

t.test('B07 without read it is 403, and the challenge names the scope', async t => {
  const { url } = await service(t)
  const response = await graphqlRequest(url, await accessToken(url, { scope: 'write' }), {
    query: '{ __typename }'
  })
  t.match(response.headers.get('www-authenticate'), /error="insufficient_scope", scope="read"/)
  t.equal(response.status, 403)
})

t.test('B10 the token is checked before the body is read', async t => {
  const { url } = await service(t)
  t.equal((await graphqlRequest(url, 'nonsense', '{not json')).status, 401)
})
