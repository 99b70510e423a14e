// Runs on SQLite only, in test:all only: flow.test.ts uses some tools on both engines.
/** `/mcp` as HTTP: the Streamable HTTP of MCP 2025-11-25, without sessions. */
import { t } from 'tap'
import { accessToken } from '../../../test/support/http/http.ts'
import { call, connect, listTools, post } from '../../../test/support/http/mcp.ts'
import { migrated, run } from '../../../test/support/service/process.ts'
import { addTemplates, service } from '../../../test/support/service/service.ts'

t.test('it is off by default', async t => {
  const { url } = await service(t)
  const paths = ['/mcp', '/.well-known/oauth-protected-resource/mcp']
  for (const path of paths) t.equal((await fetch(`${url}${path}`)).status, 404, path)
  t.equal((await post(url, await accessToken(url), listTools)).status, 404)
  const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()
  t.notOk('client_id_metadata_document_supported' in (metadata as object))
  const root = await fetch(`${url}/.well-known/oauth-protected-resource`)
  t.match(await root.json(), { resource: url })
})

t.test('methods, media types and messages', async t => {
  const { url } = await service(t, { mcp: true, corsOrigins: 'https://app.example' })
  const token = await accessToken(url, { resource: `${url}/mcp` })
  for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
    const response = await fetch(`${url}/mcp`, { method, headers: { authorization: `Bearer ${token}` } })
    t.same([response.status, response.headers.get('allow')], [405, 'POST'], method)
  }
  const status = async (message: unknown, headers: Record<string, string> = {}) =>
    (await post(url, token, message, headers)).status
  t.equal(await status(listTools), 200)
  t.equal(await status(listTools, { 'content-type': 'text/plain' }), 415)
  t.equal(await status(listTools, { 'mcp-protocol-version': '2025-06-18' }), 200)
  t.equal(await status(listTools, { 'mcp-protocol-version': '1999-01-01' }), 400)
  t.equal(await status('{not json'), 400)
  t.equal(await status([listTools, listTools]), 400, 'one message at a time')
  t.equal(await status({}), 400)
  t.equal(await status(null), 400)
  t.equal(await status('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{}}}'), 400)
  t.equal(await status({ jsonrpc: '2.0', method: 'notifications/initialized' }), 202)
  t.equal(await status(listTools, { origin: 'https://evil.example' }), 403, 'a page of another site')
  t.equal(await status(listTools, { origin: 'null' }), 403)
  t.equal(await status(listTools, { origin: new URL(url).origin }), 200)
  const listed = await post(url, token, listTools, { origin: 'https://app.example' })
  t.same([listed.status, listed.headers.get('access-control-allow-origin')], [200, 'https://app.example'])
  t.equal(listed.headers.get('cache-control'), 'no-store')
  t.equal((await post(url, 'nonsense', '{not json')).status, 401, 'the token is checked before the body')
  const unknown = await post(url, token, { ...listTools, method: 'prompts/list' })
  t.match(await unknown.json(), { error: { code: -32_601 } })
})

const json = 'application/json'
const events = 'text/event-stream'

t.test('one of the two media types is enough', async t => {
  const { url } = await service(t, { mcp: true })
  const token = await accessToken(url, { resource: `${url}/mcp` })
  for (const [accept, type] of [
    ['application/json, text/event-stream', json],
    ['text/event-stream, application/json', json],
    ['application/json', json],
    ['Application/JSON;q=0.1', json],
    ['*/*', json],
    ['', json],
    ['application/*, text/html', json],
    ['text/event-stream', events],
    ['text/event-stream, application/json;q=0', events],
    ['text/*', events],
    ['*/*, application/json;q=0', events],
    ['text/html', undefined],
    ['application/graphql-response+json', undefined],
    ['*/*;q=0', undefined],
    ['application/json;q=0, text/event-stream;q=0', undefined]
  ] as const) {
    const response = await post(url, token, listTools, { accept })
    if (type === undefined) {
      t.equal(response.status, 406, accept)
      continue
    }
    t.same([response.status, response.headers.get('content-type')], [200, type], accept)
    const text = await response.text()
    const [, data = text] = /^event: message\ndata: (.*)\n\n$/.exec(text) ?? []
    t.match(JSON.parse(data), { id: 1, result: { tools: [{}] } }, accept)
    t.equal(data === text, type === json, accept)
    const told = await post(url, token, { jsonrpc: '2.0', method: 'notifications/initialized' }, { accept })
    t.equal(told.status, 202, accept)
  }
})

t.test("the SDK's client works with each Accept", async t => {
  const { url, db } = await service(t, { mcp: true })
  await addTemplates(db, { id: 1, name: 'Lamp' })
  const token = await accessToken(url, { resource: `${url}/mcp` })
  for (const accept of ['application/json', events, '*/*', 'text/*']) {
    const types = new Set<string | null>()
    const mcp = await connect(t, url, token, async (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('accept', accept)
      const response = await fetch(input, { ...init, headers })
      if (response.status === 200) types.add(response.headers.get('content-type'))
      return response
    })
    t.match(await call(mcp, 'get_template', { id: 1 }), {
      isError: false,
      data: { product: { name: 'Lamp' } }
    })
    t.match(await call(mcp, 'get_template', { id: 'x' }), { isError: true })
    t.same([...types], [accept.startsWith('text') ? events : json], accept)
  }
})

t.test('a message is small, apart from the arguments of a tool', async t => {
  const { url } = await service(t, { mcp: true })
  const token = await accessToken(url, { resource: `${url}/mcp` })
  const ask = async (method: string, params: object) => {
    const response = await post(url, token, { ...listTools, method, params })
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is checked
    return { status: response.status, body: (await response.json()) as any }
  }
  const introduce = (icons: unknown) =>
    ask('initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1', icons } })
  const tooLarge: [icons: unknown, text: RegExp][] = [
    [Array(500_000).fill(0), /more than 20000 values/],
    [Array(600).fill(0), /more than 500 values/],
    [JSON.parse('['.repeat(30) + ']'.repeat(30)), /more than 20 levels/],
    [[{ src: 'x'.repeat(70_000) }], /more than 65536 characters/]
  ]
  for (const [icons, text] of tooLarge)
    t.match(await introduce(icons), { status: 400, body: { errors: [{ message: text }] } })
  const { body } = await introduce(Array(400).fill(0))
  t.equal(body.error.code, -32_603)
  t.equal(body.error.message.length, 1000, 'the error says the beginning')
  const call = (given: unknown) => ask('tools/call', { name: 'get_template', arguments: given })
  const keys = Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`k${n}`, 0]))
  t.match(await call(keys), {
    status: 400,
    body: { errors: [{ message: 'the message has more than 10000 different names' }] }
  })
  t.match((await call({ id: Array(15_000).fill(0) })).body.result, {
    isError: true,
    content: [{ text: 'the arguments have more than 10000 values' }]
  })
  for (const wrong of [[], 'id', null])
    t.match((await call(wrong)).body.error, { code: -32_602, message: /arguments must be an object/ })
})

t.test('a call that asks for a task is answered, not left waiting', async t => {
  const { url } = await service(t, { mcp: true })
  const token = await accessToken(url, { resource: `${url}/mcp` })
  const params = { name: 'get_template', arguments: { id: 1 }, task: { ttl: 1000 } }
  const response = await post(url, token, { ...listTools, method: 'tools/call', params })
  t.equal(response.status, 200)
})

t.test('a host that authenticates requests itself cannot have it', async t => {
  await t.rejects(service(t, { mcp: true, authenticate: async () => null }), {
    message: /mcp needs access tokens, which authenticate replaces/
  })
})

t.test('without the package it does not start, and says what to install', async t => {
  const env = { ...(await migrated(t)), MCP: 'true' }
  const hook = new URL('without-sdk.ts', import.meta.url).pathname
  const { code, stderr } = await run(t, ['serve'], { ...env, NODE_OPTIONS: `--import=${hook}` })
  t.equal(code, 2)
  t.match(stderr, 'MCP needs the package @modelcontextprotocol/sdk: npm install @modelcontextprotocol/sdk')
})
