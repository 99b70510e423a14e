// Runs on SQLite only.
/** Which responses are cached, and how they are sent. */
import { once } from 'node:events'
import { rename } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { productTemplates, type ServiceOptions } from '../../../index.ts'
import { sqliteUrl } from '../../support/database/database.ts'
import { accessToken, graphqlGet, graphqlRequest, rawPost, visible } from '../../support/http/http.ts'
import { loggedService } from '../../support/service/log.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  database,
  host,
  type Service,
  service
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** A service whose cached responses can be told: its templates change without their version. */
async function unversioned(t: Test, options: ServiceOptions = {}) {
  const started = await service(t, options)
  await addTemplates(started.db, { name: 'before', data: JSON.stringify({ text: 'x'.repeat(5000) }) }, {})
  await sql`drop trigger product_version_template_update`.execute(started.db)
  return { ...started, token: await accessToken(started.url) }
}

const names = { query: '{ allProducts { name } }' }
const change = ({ db }: Service, name = 'after') =>
  sql`update product_template set name = ${name} where id = 0`.execute(db)

const show = async (response: Promise<Response>) => {
  const { status, headers, body } = await visible(await response)
  return { status, headers, body, isOld: body.includes('before') }
}

t.test('a response is cached when its request comes for the second time', async t => {
  const started = await unversioned(t)
  const ask = () => show(graphqlRequest(started.url, started.token, names))
  const first = await ask()
  await change(started)
  t.notOk((await ask()).isOld)
  await change(started, 'before')
  t.notOk((await ask()).isOld)
  const cached = await ask()
  await change(started, 'neither')
  t.same(await ask(), cached)
  t.same(Object.keys(cached.headers), Object.keys(first.headers))
})

t.test('only requests with the same text share a response', async t => {
  const started = await unversioned(t)
  const { url, token } = started
  const query = 'query ($id: Int!) { product(id: $id) { name } }'
  const text = JSON.stringify({ query, variables: { id: 0 } })
  const post = (body: string) => show(graphqlRequest(url, token, body))
  const get = (variables: string) => show(graphqlGet(url, token, { query, variables }))
  for (let count = 0; count < 2; count++) {
    await post(text)
    await get('{"id":0}')
  }
  await change(started)
  t.ok((await post(text)).isOld)
  t.ok((await get('{"id":0}')).isOld)
  for (const answer of [await post(`${text} `), await get('{"id":0 }')]) {
    t.equal(answer.status, 200)
    t.notOk(answer.isOld)
  }
  const asQuery = await post(JSON.stringify({ query, variables: '{"id":0}' }))
  t.equal(asQuery.status, 400, 'the same text by GET and by POST means different things')
})

t.test('what is not a complete response to a query is not cached', async t => {
  const started = await unversioned(t)
  const { url, token, db } = started
  for (const query of [
    'mutation { updateProduct(id: 0, input: {}) { product { name } userErrors { code } } }',
    '{ changes { nodes { templateId } } allProducts { name } }',
    '{ allProducts(orderBy: { field: NAME }, limit: -1) { name } }',
    '{ nothing }'
  ]) {
    for (let count = 0; count < 4; count++) {
      await sql`update product_template set name = ${`before ${count}`} where id = 0`.execute(db)
      const { body } = await show(graphqlRequest(url, token, { query }))
      if (body.includes('before')) t.match(body, `before ${count}`)
    }
  }
  const ask = (headers: Record<string, string>) => show(graphqlRequest(url, token, names, headers))
  for (let count = 0; count < 3; count++) await ask({})
  await change(started)
  t.ok((await ask({})).isOld)
  t.notOk((await ask({ 'GraphQL-Cost': '1' })).isOld, 'the cost is asked for')
})

t.test('if the client of a request goes, its execution goes on for the others', async t => {
  let executed = 0
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = (await database(t)).withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!result.rows.some(row => 'name' in row && 'maxItems' in row)) return result
      executed++
      await released
      return result
    }
  })
  const { app, db, url, lines } = await loggedService(t, { db: slow })
  await addTemplates(db, {})
  const token = await accessToken(url)
  const query = { query: '{ allProducts { name maxItems } }' }
  const arrived = async (count: number) => {
    const isQuery = ({ msg, req }: Record<string, unknown>) =>
      msg === 'incoming request' && (req as { path?: string }).path === '/graphql'
    await until(() => lines.filter(isQuery).length >= count)
  }
  const connection = once(app.server, 'connection') as Promise<[Socket]>
  const client = connect(Number(new URL(url).port), '127.0.0.1')
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json']
  const body = JSON.stringify(query)
  client.write(rawPost('/graphql', [...headers, `Content-Length: ${body.length}`], body))
  const [rawResponse] = await connection
  await arrived(1)
  const others = Array.from({ length: 5 }, () => graphqlRequest(url, token, query))
  await arrived(6)
  for (let count = 0; count < 5; count++) await (await fetch(`${url}/livez`)).text()
  client.destroy()
  if (!rawResponse.destroyed) await once(rawResponse, 'close')
  release()
  for (const response of [...others, graphqlRequest(url, token, query)])
    t.same(await (await response).json(), { data: { allProducts: [{ name: 'template 0', maxItems: 10 }] } })
  t.equal(executed, 1)
})

t.test('equal requests that come at the same time are executed once', async t => {
  let executed = 0
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const counted = (await database(t)).withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (!result.rows.some(row => 'name' in row && 'maxItems' in row)) return result
      executed++
      await released
      return result
    }
  })
  const { db, url } = await loggedService(t, { db: counted })
  await addTemplates(db, {})
  const token = await accessToken(url)
  const query = { query: '{ allProducts { name maxItems } }' }
  await (await graphqlRequest(url, token, { query: '{ allProducts { id } }' })).text()
  const responses = Array.from({ length: 6 }, () => graphqlRequest(url, token, query))
  // Until they have all arrived.
  for (let count = 0; count < 50; count++) await (await fetch(`${url}/livez`)).text()
  release()
  for (const response of responses) t.match(await (await response).text(), /template 0/)
  t.equal(executed, 1)
})

t.test('nothing is cached if the setting says so, and nothing that is larger', async t => {
  for (const graphqlResponseCacheSize of [0, 1, 999]) {
    const started = await unversioned(t, { graphqlResponseCacheSize })
    const ask = () =>
      show(graphqlRequest(started.url, started.token, { query: '{ allProducts { name data } }' }))
    for (let count = 0; count < 3; count++) await ask()
    await change(started)
    t.notOk((await ask()).isOld)
  }
})

t.test('requests that come once do not displace what is cached', async t => {
  const started = await unversioned(t, { graphqlResponseCacheSize: 200_000 })
  const { url, token } = started
  const ask = () => show(graphqlRequest(url, token, names))
  for (let count = 0; count < 3; count++) await ask()
  for (let count = 0; count < 200; count++)
    await (await graphqlRequest(url, token, { query: `{ a${count}: allProducts { data } }` })).text()
  await change(started)
  t.ok((await ask()).isOld)
})

/** Asks until what is cached is compressed, which happens meanwhile. */
async function askUntilCoded(ask: () => Promise<Response>, coding: string | null): Promise<Response> {
  let response = await ask()
  await until(async () => {
    if (response.headers.get('content-encoding') === coding) return true
    await response.text()
    response = await ask()
    return false
  })
  return response
}

t.test('a cached response is compressed as the client prefers', async t => {
  const { url, token } = await unversioned(t)
  const query = { query: '{ allProducts { name data } }' }
  const ask = (encoding: string) =>
    graphqlRequest(url, token, query, encoding === '' ? {} : { 'accept-encoding': encoding })
  const plain = await (await ask('identity')).text()
  const preferences: [header: string, coding: string | null][] = [
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['zstd;q=0, *', 'br'],
    ['*;q=0, gzip', 'gzip'],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['gzip;q=0', null],
    ['deflate', null],
    ['*;q=0', null],
    ['gzip;q=2', null]
  ]
  for (const [header, coding] of preferences) {
    const response = await askUntilCoded(() => ask(header), coding)
    t.equal(response.headers.get('content-encoding'), coding, header)
    t.equal(response.headers.get('vary'), 'Accept, Accept-Encoding, Authorization')
    t.equal(await response.text(), plain)
  }
})

t.test('a small response is not compressed', async t => {
  const { url, token } = await unversioned(t)
  for (let count = 0; count < 10; count++) {
    const response = await graphqlRequest(url, token, names, { 'accept-encoding': 'gzip' })
    t.equal(response.headers.get('content-encoding'), null)
    await response.text()
  }
})

t.test('each coding has its own ETag, and each of them is known', async t => {
  const { url, token } = await unversioned(t)
  const parameters = { query: '{ allProducts { name data } }' }
  const ask = (headers: Record<string, string>) => graphqlGet(url, token, parameters, headers)
  const plain = await ask({ 'accept-encoding': 'identity' })
  await plain.text()
  const coded = await askUntilCoded(() => ask({ 'accept-encoding': 'br' }), 'br')
  await coded.text()
  const etags = [plain, coded].map(({ headers }) => headers.get('etag') as string)
  t.not(etags[0], etags[1])
  for (const etag of etags)
    for (const encoding of ['identity', 'br', 'gzip']) {
      const response = await ask({ 'accept-encoding': encoding, 'if-none-match': etag })
      t.equal(response.status, 304)
      t.equal(response.headers.get('cache-control'), 'private, no-cache')
    }
  t.equal((await ask({ 'if-none-match': '"other.br"' })).status, 200)
})

t.test('a token without the scope gets nothing that is cached for others', async t => {
  const { url, token } = await unversioned(t)
  const writer = await accessToken(url, { scope: 'write' })
  for (let count = 0; count < 3; count++) await (await graphqlRequest(url, token, names)).text()
  const response = await graphqlRequest(url, writer, names)
  t.equal(response.status, 403)
  t.notMatch(await response.text(), /before/)
})

t.test('a hook of the host may replace the parameters', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, {}, {})
  const app = host(t)
  await app.register(async scope => {
    scope.addHook('preValidation', async request => {
      const id = request.headers['x-id']
      const query = `{ product(id: ${id}) { id } }`
      if (id === undefined) return
      if (request.method === 'GET') request.query = { query }
      else request.body = { query }
    })
    await scope.register(productTemplates, { db, ...cheapHash })
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(url)
  for (const id of [0, 0, 0, 1, 1, 0, 1]) {
    const headers = { 'x-id': `${id}` }
    for (const response of [graphqlRequest(url, token, {}, headers), graphqlGet(url, token, {}, headers)])
      t.same(await (await response).json(), { data: { product: { id } } })
  }
})

t.test('a response that finds no memory has no header of the cached one', async t => {
  const { db, url } = await service(t, { graphqlMaxPendingSize: 600_000 })
  await addTemplates(
    db,
    ...Array.from({ length: 30 }, (_, id) => ({ id, data: JSON.stringify('x'.repeat(30_000)) }))
  )
  const token = await accessToken(url)
  const part = (limit: number) => ({ query: `{ allProducts(limit: ${limit}) { data } }` })
  const ask = (limit: number) => graphqlGet(url, token, part(limit), { 'accept-encoding': 'identity' })
  for (const limit of [28, 29]) for (let count = 0; count < 4; count++) await (await ask(limit)).text()
  // It is not read, so that its memory is taken.
  const held = connect(Number(new URL(url).port), '127.0.0.1').pause()
  t.teardown(() => held.destroy())
  const path = `/graphql?${new URLSearchParams(part(29))}`
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
  held.write(request.repeat(50))
  let response = await ask(28)
  while (response.status === 200) {
    await response.text()
    response = await ask(28)
  }
  t.equal(response.status, 503)
  t.equal(response.headers.get('etag'), null)
  t.equal(response.headers.get('cache-control'), 'no-store')
  await response.text()
})

t.test('a file that is gone or replaced is noticed, also for what is cached', async t => {
  const url = await sqliteUrl(t)
  const path = url.slice('sqlite:'.length)
  const started = await loggedService(t, { db: await openDatabase(url) })
  await addTemplates(started.db, {})
  const token = await accessToken(started.url)
  const ask = async () => (await graphqlRequest(started.url, token, names)).status
  t.same([await ask(), await ask(), await ask()], [200, 200, 200])
  await rename(path, `${path}.away`)
  const statuses = new Set<number>()
  // The file is looked at ten times a second: until then, what is cached may be sent.
  await until(async () => statuses.add(await ask()).has(503))
  statuses.delete(200)
  t.same([...statuses], [503])
  await rename(`${path}.away`, path)
  t.equal(await ask(), 200)
  await started.db.destroy()
})
