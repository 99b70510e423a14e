// Runs alone.
/** The service inside a host's Fastify: it does not change the host, and the host's plugins do not break it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import basicAuth from '@fastify/basic-auth'
import formbody from '@fastify/formbody'
import fastifyJwt from '@fastify/jwt'
import Fastify from 'fastify'
import mercurius from 'mercurius'
import { t } from 'tap'
import productTemplates, { openDatabase, StartError } from '../index.ts'
import { databaseUrl, sqliteUrl } from './support/database/database.ts'
import { onlyOn } from './support/database/only-on.ts'
import { accessToken, basic, query, tokenRequest } from './support/http/http.ts'
import { run, withoutRunner } from './support/service/process.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  database,
  host,
  service,
  user
} from './support/service/service.ts'

t.test('a host with its own jwt, formbody, basic-auth and Mercurius with loaders', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, {})
  const app = host(t)
  await app.register(fastifyJwt, { secret: 'the secret of the host, not ours' })
  await app.register(formbody)
  await app.register(basicAuth, { validate: async () => {} })
  await app.register(mercurius, {
    schema: 'type Query { dogs: [Dog] } type Dog { name: String owner: String }',
    resolvers: { Query: { dogs: () => [{ name: 'Max' }, { name: 'Bella' }] } },
    loaders: {
      Dog: { owner: async queries => queries.map(({ obj }) => `owner of ${(obj as { name: string }).name}`) }
    }
  })
  await app.register(productTemplates, { prefix: '/shop', db, ...cheapHash })
  app.post('/form', async request => request.body)
  app.get('/host-token', async () => app.jwt.sign({ who: 'host' }))
  app.get(
    '/host-user',
    { onRequest: async request => void (await request.jwtVerify()) },
    async request => request.user
  )
  const url = await app.listen({ port: 0 })

  const ours = await query(`${url}/shop`, await accessToken(`${url}/shop`), '{ allProducts { id } }')
  t.same(ours.body, { data: { allProducts: [{ id: 0 }] } })

  const theirs = await query(url, 'no token needed', '{ dogs { name owner } }')
  t.same(theirs.body.data.dogs, [
    { name: 'Max', owner: 'owner of Max' },
    { name: 'Bella', owner: 'owner of Bella' }
  ])
  const hostToken = await (await fetch(`${url}/host-token`)).text()
  const hostUser = await fetch(`${url}/host-user`, { headers: { authorization: `Bearer ${hostToken}` } })
  t.match(await hostUser.json(), { who: 'host' })
  t.equal(
    (await query(`${url}/shop`, hostToken, '{ __typename }')).status,
    401,
    'their token is none of ours'
  )
  const form = await fetch(`${url}/form`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })
  t.same(await form.json(), { a: '1' })
})

t.test('two copies under two prefixes, each with its own data, keys and issuer', async t => {
  const app = host(t)
  for (const prefix of ['/one', '/two']) {
    const db = await database(t)
    await addUser(db)
    await addClient(db)
    await addTemplates(db, { name: prefix })
    await app.register(productTemplates, { prefix, db, ...cheapHash })
  }
  const url = await app.listen({ port: 0 })
  const token = await accessToken(`${url}/one`)
  t.same((await query(`${url}/one`, token, '{ allProducts { name } }')).body.data.allProducts, [
    { name: '/one' }
  ])
  t.equal((await query(`${url}/two`, token, '{ allProducts { name } }')).status, 401)
  const other = await query(`${url}/two`, await accessToken(`${url}/two`), '{ allProducts { name } }')
  t.same(other.body.data.allProducts, [{ name: '/two' }])
})

t.test('two copies on one database file share the key but not the issuer', async t => {
  const url = await databaseUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  await addClient(db)
  await db.destroy()
  const app = host(t)
  await app.register(productTemplates, { prefix: '/one', database: url, ...cheapHash })
  await app.register(productTemplates, { prefix: '/two', database: url, ...cheapHash })
  const origin = await app.listen({ port: 0 })
  const token = await accessToken(`${origin}/one`)
  t.equal((await query(`${origin}/one`, token, '{ __typename }')).status, 200)
  t.equal((await query(`${origin}/two`, token, '{ __typename }')).status, 401)
})

onlyOn('sqlite', "the host's error handler, 404 and decorators stay its own", async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = host(t)
  app.decorateRequest('user', null as never)
  app.setErrorHandler(async (_error, _request, reply) => reply.code(418).send('the host handles this'))
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send('not in this house'))
  app.setReplySerializer(payload => JSON.stringify({ theirs: payload }))
  await app.register(productTemplates, { prefix: '/shop', db, ...cheapHash })
  app.get('/broken', async request => {
    Object.assign(request, { user: 'theirs' })
    throw new Error('the host is broken')
  })
  app.post('/json', async request => request.body)
  const url = await app.listen({ port: 0 })
  t.equal(await (await fetch(`${url}/broken`)).text(), 'the host handles this')
  t.equal(await (await fetch(`${url}/nowhere`)).text(), 'not in this house')
  t.equal(await (await fetch(`${url}/shop/nowhere`)).text(), 'not in this house')
  t.match(await (await tokenRequest(`${url}/shop`, { password: 'x' })).json(), { error: 'invalid_grant' })
  const json = await fetch(`${url}/json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}'
  })
  t.same(await json.json(), { theirs: { a: 1 } })
  for (const name of ['productStore', 'productTokens', 'graphql', 'jwt', 'basicAuth']) {
    t.notOk(app.hasDecorator(name), `${name} stays inside`)
  }
  t.notOk(app.hasContentTypeParser('application/x-www-form-urlencoded'))
})

onlyOn('sqlite', 'the Vary header of the host is kept', async t => {
  const app = host(t)
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Vary', 'Origin')
  })
  await app.register(productTemplates, { prefix: '/shop', database: 'sqlite::memory:' })
  const response = await app.inject({ method: 'POST', url: '/shop/graphql' })
  t.equal(response.headers.vary, 'Origin, Accept, Accept-Encoding, Authorization')
})

t.test("the host's database stays open after close; the plugin's own is closed", async t => {
  const db = await database(t)
  await addTemplates(db, {})
  const app = host(t)
  await app.register(productTemplates, { db })
  let opened: typeof db | undefined
  await app.register(async scope => {
    scope.addHook('onRegister', instance => {
      instance.addHook('onReady', async () => {
        opened = instance.productStore
      })
    })
    await scope.register(productTemplates, { prefix: '/ours', database: 'sqlite::memory:' })
  })
  await app.ready()
  await app.close()
  t.same(await db.selectFrom('product_template').select('id').execute(), [{ id: 0 }])
  t.ok(opened)
  await t.rejects(
    opened?.selectFrom('product_template').select('id').execute() as Promise<unknown>,
    /destroyed/
  )
})

onlyOn('sqlite', 'the tables of the host are left alone', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  await db.schema.createTable('users').addColumn('name', 'text').execute()
  await db.schema.createTable('kysely_migration').addColumn('name', 'text').execute()
  const app = host(t)
  await app.register(productTemplates, { db })
  await app.ready()
  const tables = (await db.introspection.getTables({ withInternalKyselyTables: true })).map(
    ({ name }) => name
  )
  t.ok(tables.includes('users') && tables.includes('kysely_migration'))
  t.same(tables.filter(name => !name.startsWith('product_')).sort(), ['kysely_migration', 'users'])
})

onlyOn(
  'sqlite',
  'invalid options or an unusable database reject the registration and do not exit the process',
  async t => {
    const db = await database(t)
    const wrong: [object, StartError['code']][] = [
      [{ databse: 'x' }, 'PTS_BAD_OPTION'],
      [{ accessTokenTtl: 0 }, 'PTS_BAD_OPTION'],
      [{ db, database: 'sqlite::memory:' }, 'PTS_BAD_OPTION'],
      [{ database: 'sqlite:/nowhere/at/all.db' }, 'PTS_BAD_DATABASE']
    ]
    for (const [options, code] of wrong) {
      const app = host(t)
      app.register(productTemplates, options)
      await t.rejects(app.ready() as unknown as Promise<unknown>, { code, name: 'StartError' })
    }
    t.ok(new StartError('PTS_BAD_OPTION', '') instanceof Error)
  }
)

onlyOn('sqlite', 'it leaves process.env, signal handlers and exit alone', async t => {
  const before = { env: { ...process.env }, signals: process.listenerCount('SIGTERM'), exit: process.exit }
  process.env.PORT = 'not a port'
  t.teardown(() => {
    delete process.env.PORT
  })
  const app = host(t)
  await app.register(productTemplates, { database: 'sqlite::memory:' })
  await app.ready()
  t.equal(process.listenerCount('SIGTERM'), before.signals)
  t.equal(process.exit, before.exit)
})

t.test('closed, it leaves no handle, and it never changes the process', async t => {
  const url = await sqliteUrl(t)
  const seeded = await run(t, ['seed', '--demo'], { DATABASE_URL: url })
  t.equal(seeded.code, 0, seeded.stderr)
  const file = new URL('support/service/embedded-host.ts', import.meta.url).pathname
  // The process ends without a call of process.exit.
  const { stdout } = await promisify(execFile)('env', [...withoutRunner, process.execPath, file, url])
  const { statuses, ended, before, during, after } = JSON.parse(stdout)
  t.same([statuses, ended], [[200, 200, 200], 'the service is shutting down'])
  t.same(during, before)
  t.same(after, before)
})

onlyOn('sqlite', 'requests by `app.inject` work', async t => {
  const { app } = await service(t)
  const login = { grant_type: 'password', username: user.email, password: user.password }
  const headers = { authorization: basic(), 'content-type': 'application/x-www-form-urlencoded' }
  const payload = new URLSearchParams(login).toString()
  const issued = await app.inject({ method: 'POST', url: '/oauth/token', headers, payload })
  t.equal(issued.statusCode, 200)
  const authorization = `Bearer ${issued.json().access_token}`
  const request = { method: 'POST', url: '/graphql', payload: { query: '{ __typename }' } } as const
  const answer = await app.inject({ ...request, headers: { authorization } })
  t.same(answer.json(), { data: { __typename: 'Query' } })
  t.equal((await app.inject(request)).statusCode, 401)
})

onlyOn('sqlite', 'a prefix may end in a slash', async t => {
  const { app } = await service(t, { prefix: '/shop/' })
  t.equal((await app.inject('/shop/livez')).statusCode, 200)
  t.equal((await app.inject({ method: 'PUT', url: '/shop/livez' })).headers.allow, 'GET, HEAD')
  const metadata = (await app.inject('/shop/.well-known/oauth-authorization-server')).json()
  t.equal(metadata.token_endpoint, `${app.listeningOrigin}/shop/oauth/token`)
})

onlyOn('sqlite', 'a host without HEAD routes: Allow does not name the method, and it is refused', async t => {
  const app = Fastify({ exposeHeadRoutes: false })
  t.teardown(() => app.close())
  await app.register(productTemplates, { prefix: '/shop', database: 'sqlite::memory:' })
  for (const method of ['HEAD', 'POST'] as const) {
    const { statusCode, headers } = await app.inject({ method, url: '/shop/livez' })
    t.same([statusCode, headers.allow], [405, 'GET'], method)
  }
})

onlyOn('sqlite', "a secret in a URL is not in the host's log, for routes of ours", async t => {
  const lines: string[] = []
  const app = Fastify({
    logger: { level: 'trace', stream: { write: line => void lines.push(line) } },
    routerOptions: { useSemicolonDelimiter: true, caseSensitive: false, ignoreTrailingSlash: true } as object
  })
  t.teardown(() => app.close())
  await app.register(productTemplates, { prefix: '/shop', database: 'sqlite::memory:' })
  for (const url of ['/shop/livez;s3cr3t', '/shop/livez/?s3cr3t', '/shop/LIVEZ', '/shop/%6civez'])
    t.equal((await app.inject({ url })).statusCode, 200, url)
  t.notMatch(lines.join(''), /s3cr3t|LIVEZ|%6c/)
  t.match(lines.join(''), /"req":\{"method":"GET","path":"\/shop\/livez","remoteAddress":"127.0.0.1"\}/)
})

onlyOn('sqlite', 'a host for which the slash at the end does not count', async t => {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  t.teardown(() => app.close())
  await app.register(productTemplates, { prefix: '/shop', database: 'sqlite::memory:', explorer: true })
  for (const url of ['/shop', '/shop/']) {
    const { statusCode, headers } = await app.inject({ url, method: 'DELETE' })
    t.same([statusCode, headers.allow], [405, 'GET, HEAD'], url)
  }
})

onlyOn('sqlite', 'a host that speaks HTTP/2', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = Fastify({ http2: true })
  t.teardown(() => app.close())
  await app.register(productTemplates, { db, ...cheapHash })
  const session = connect(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.teardown(() => session.close())
  const post = async (path: string, headers: OutgoingHttpHeaders, body: string) => {
    const request = session.request({ ':method': 'POST', ':path': path, ...headers })
    request.end(body)
    const [answer] = (await once(request, 'response')) as [IncomingHttpHeaders]
    return { status: answer[':status'], body: (await json(request)) as Record<string, unknown> }
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const login = { grant_type: 'password', username: user.email, password: user.password }
  const credentials = new URLSearchParams(login).toString()
  const issued = await post('/oauth/token', { ...form, authorization: basic() }, credentials)
  t.equal(issued.status, 200)
  t.match(await post('/oauth/token', form, credentials), { status: 401, body: { error: 'invalid_client' } })
  const bearer = { 'content-type': 'application/json', authorization: `Bearer ${issued.body.access_token}` }
  t.match(await post('/graphql', bearer, '{"query":"{ __typename }"}'), {
    status: 200,
    body: { data: { __typename: 'Query' } }
  })
})
