// Runs on SQLite only: the host has the accounts, or the database is in memory.
/** The plugins by themselves, in a host that builds its own endpoints from them. */
import { type Test, t } from 'tap'
import { updateStoredClient } from '../../db/accounts/clients.ts'
import { getToken } from '../../plugins/authentication/bearer-auth.ts'
import { getClient } from '../../plugins/authentication/client-auth.ts'
import { bearerAuth, clientAuth, store, tokens } from '../../plugins/index.ts'
import { basic } from '../support/http/http.ts'
import { addClient, client, host } from '../support/service/service.ts'

t.test('a host can build an endpoint from store, tokens, client and bearer authentication', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens, { accessTokenTtl: 60 })
  await app.register(clientAuth)
  await app.register(bearerAuth)
  await addClient(app.productStore)
  app.post('/token', { onRequest: app.productRequireClientSecret }, async request =>
    app.productTokens.issue({ sub: 'me', clientId: request.productClient?.id ?? '', scopes: ['read'] })
  )
  app.get('/me', { onRequest: app.productBearerAuth('read') }, async request => request.productToken)
  app.get('/admin', { onRequest: app.productBearerAuth('write') }, async () => 'never')
  const url = await app.listen({ port: 0 })

  const issued = await fetch(`${url}/token`, { method: 'POST', headers: { authorization: basic() } })
  const { accessToken, expiresIn } = (await issued.json()) as { accessToken: string; expiresIn: number }
  t.equal(expiresIn, 60)
  const headers = { authorization: `Bearer ${accessToken}` }
  t.match(await (await fetch(`${url}/me`, { headers })).json(), {
    sub: 'me',
    client_id: client.id,
    scope: 'read'
  })
  t.equal((await fetch(`${url}/admin`, { headers })).status, 403)
  t.equal((await fetch(`${url}/me`)).status, 401)
  t.equal((await fetch(`${url}/token`, { method: 'POST' })).status, 401)
})

t.test('each plugin has the defaults of the service and checks its options', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens)
  await app.ready()
  await addClient(app.productStore, { id: 'c' })
  const { accessToken, expiresIn } = await app.productTokens.issue({ sub: 'me', clientId: 'c', scopes: [] })
  t.equal(expiresIn, 86_400)
  t.match(await app.productTokens.verify(accessToken), { sub: 'me' })

  for (const [plugin, options, message] of [
    [store, { databse: 'sqlite::memory:' }, /^databse is not a setting: did you mean database\?$/],
    [store, { database: 'mysql://x' }, /^database must be `sqlite:/],
    [tokens, { accessTokenTtl: 0 }, /^accessTokenTtl must be an integer from 1/],
    [tokens, { issuer: 'https://x.example/' }, /^issuer must be an http/]
  ] as const) {
    const wrong = host(t)
    if (plugin === tokens) await wrong.register(store, { database: 'sqlite::memory:' })
    wrong.register(plugin as never, options)
    await t.rejects(wrong.ready() as unknown as Promise<unknown>, { code: 'PTS_BAD_OPTION', message })
  }
})

t.test('each plugin declares its dependencies', async t => {
  for (const [plugin, options, missing] of [
    [tokens, { accessTokenTtl: 60 }, 'product-store'],
    [clientAuth, {}, 'product-store'],
    [bearerAuth, {}, 'product-tokens']
  ] as const) {
    const app = host(t)
    app.register(plugin as never, options)
    await t.rejects(app.ready() as unknown as Promise<unknown>, new RegExp(`'${missing}'`))
  }
})

t.test('the names of the plugins are public', async t => {
  const names = [store, tokens, clientAuth, bearerAuth].map(
    plugin => (plugin as unknown as Record<symbol, { name: string }>)[Symbol.for('plugin-meta')]?.name
  )
  t.same(names, ['product-store', 'product-tokens', 'product-client-auth', 'product-bearer-auth'])
})

t.test('two tokens plugins on one store sign with the same key', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.after()
  await addClient(app.productStore, { id: 'c' })
  for (const prefix of ['/a', '/b']) {
    app.register(
      async scope => {
        await scope.register(tokens, { accessTokenTtl: 60, issuer: 'https://one.example.com' })
        scope.get(
          '/token',
          async () => (await scope.productTokens.issue({ sub: 'me', clientId: 'c', scopes: [] })).accessToken
        )
        scope.get('/check', async request => scope.productTokens.verify(String(request.headers.token)))
      },
      { prefix }
    )
  }
  const url = await app.listen({ port: 0 })
  const token = await (await fetch(`${url}/a/token`)).text()
  t.match(await (await fetch(`${url}/b/check`, { headers: { token } })).json(), { sub: 'me' })
})

t.test('wrong arguments of `issue` are named, and what is no token is not valid', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens)
  await app.ready()
  const { issue, verify, read } = app.productTokens
  const good = { sub: 'me', clientId: 'c', scopes: ['read'] }
  const missing =
    'sub must be a non-empty string; clientId must be a non-empty string; scopes must be an array of scope tokens'
  for (const [request, problem] of [
    [undefined, missing],
    [{}, missing],
    [
      { ...good, client: 'c', scopes: 'read' },
      'client is not a property; scopes must be an array of scope tokens'
    ],
    [{ ...good, scopes: ['read write'] }, 'scopes must be an array of scope tokens'],
    [
      { ...good, sub: '', sid: 1, epoch: -1 },
      'sub must be a non-empty string; sid must be a non-empty string; epoch must be an integer from 0'
    ],
    [good, 'there is no client c']
  ] as const) {
    const expected = {
      name: 'ArgumentError',
      code: 'PTS_BAD_ARGUMENT',
      message: `productTokens.issue: ${problem}`
    }
    await t.rejects(issue(request as never), expected)
  }
  for (const token of [undefined, null, 1, {}, '']) {
    await t.rejects(verify(token as never), { code: 'invalid_token' })
    await t.rejects(read(token as never), { code: 'invalid_token' })
  }
  await addClient(app.productStore, { id: 'c' })
  t.match(await verify((await issue({ ...good, sid: undefined, epoch: undefined } as never)).accessToken), {
    sub: 'me'
  })
})

t.test('a handler that needs a token or a client is a bug without a hook that requires one', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens)
  await app.register(clientAuth)
  await app.register(bearerAuth)
  app.get('/open/:name', async request => {
    t.throws(() => getToken(request), new TypeError('/open/:name does not require a token'))
    t.throws(() => getClient(request), new TypeError('/open/:name does not require a client'))
    return {}
  })
  t.equal((await app.inject('/open/secret?token=x')).statusCode, 200)
})

t.test('a handler cannot change the rights of a token, which later requests share', async t => {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens, { accessTokenTtl: 60 })
  await app.register(bearerAuth)
  await addClient(app.productStore)
  const { sub, clientId } = { sub: 'me', clientId: client.id }
  const { accessToken } = await app.productTokens.issue({ sub, clientId, scopes: ['read', 'read'] })
  t.same((await app.productTokens.verify(accessToken)).scopes, ['read'], 'each once')
  app.get('/raise', { onRequest: app.productBearerAuth('read') }, async ({ productToken }) => {
    const { scopes } = productToken as { scopes: unknown }
    t.throws(() => (scopes as string[]).push('write'), TypeError)
    t.throws(() => Object.assign(productToken as object, { scopes: ['write'] }), TypeError)
    return {}
  })
  app.get('/write', { onRequest: app.productBearerAuth('write') }, async () => 'never')
  const headers = { authorization: `Bearer ${accessToken}` }
  t.equal((await app.inject({ url: '/raise', headers })).statusCode, 200)
  t.equal((await app.inject({ url: '/write', headers })).statusCode, 403)
})

/** Starts the plugins of the store and of the tokens, and issues a token. */
async function issueToken(t: Test, options = {}) {
  const app = host(t)
  await app.register(store, { database: 'sqlite::memory:' })
  await app.register(tokens, options)
  await app.ready()
  await addClient(app.productStore, { id: 'c' })
  const { accessToken } = await app.productTokens.issue({ sub: 'me', clientId: 'c', scopes: [] })
  return { app, accessToken }
}

t.test('tokens are for an endpoint or for any, and an empty endpoint is refused', async t => {
  const { app, accessToken } = await issueToken(t)
  const { verify, verifyFromCache } = app.productTokens
  t.match(await verify(accessToken, { endpoint: 'any' }), { sub: 'me' })
  t.match(await verifyFromCache(accessToken, 'any'), { sub: 'me' })
  await t.rejects(verify(accessToken, { endpoint: '/mcp' }), { code: 'invalid_token' })
  for (const wrong of ['', 'mcp'] as never[]) {
    const refused = { code: 'PTS_BAD_ARGUMENT', message: /the endpoint must be a path/ }
    await t.rejects(verify(accessToken, { endpoint: wrong }), refused)
    await t.rejects(verifyFromCache(accessToken, wrong), refused)
  }
})

t.test('a token that was found ended is not accepted from the cache', async t => {
  const { app, accessToken } = await issueToken(t)
  const { verify, verifyFromCache } = app.productTokens
  await verify(accessToken)
  await updateStoredClient(app.productStore, 'c', { disabled: true })
  t.match(await verifyFromCache(accessToken), { sub: 'me' }, 'nothing is read')
  await t.rejects(verify(accessToken), { code: 'invalid_token' })
  await t.rejects(verifyFromCache(accessToken), { code: 'invalid_token' })
})

t.test('a token expires exactly at `exp`', async t => {
  const { app, accessToken } = await issueToken(t, { accessTokenTtl: 60 })
  const { exp } = await app.productTokens.verify(accessToken)
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => exp * 1000 - 1
  t.match(await app.productTokens.verify(accessToken), { sub: 'me' })
  Date.now = () => exp * 1000
  await t.rejects(app.productTokens.verify(accessToken), { code: 'invalid_token' })
})
