// Runs on SQLite only, in test:all only.
/** The messages, limits and ends of a socket, https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { t } from 'tap'
import { HeldClock } from '../../../test/routes/responses/held-clock.ts'
import { graphqlRequest } from '../../../test/support/http/http.ts'
import { addTemplates } from '../../../test/support/service/service.ts'
import { until } from '../../../test/support/until.ts'
import { openSocket, start, statusOf } from './socket.ts'

const fromStart = { variables: { after: 'start' } }
const changes = 'subscription($after: String) { productChanged(after: $after) { revision } }'

/** Reads how many sockets are open from the metrics. */
async function countSockets(url: string): Promise<number> {
  const text = await fetch(`${url}/metrics`).then(response => response.text())
  return Number(/^product_templates_websockets (\d+)$/m.exec(text)?.[1])
}

t.test('each offence ends the socket with its code', async t => {
  const { url, token } = await start(t)
  const codeAfter = async (...messages: (object | string | Buffer)[]) => {
    const { send, closed } = await openSocket(t, url)
    for (const message of messages) send(message)
    return (await closed).code
  }
  const init = { type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }
  const subscribe = (id: string) => ({ id, type: 'subscribe', payload: { query: changes } })
  t.equal(await codeAfter('no JSON'), 4400)
  t.equal(await codeAfter('{"type":"start"}'), 4400)
  t.equal(await codeAfter(init, '{"type":"connection_ack"}'), 4400)
  t.equal(await codeAfter(init, '{"id":"1","type":"subscribe","payload":{}}'), 4400)
  t.equal(await codeAfter(Buffer.from(JSON.stringify(init))), 4400)
  t.equal(await codeAfter(`{"type":"ping","payload":${'['.repeat(200)}${']'.repeat(200)}}`), 4400)
  t.equal(await codeAfter(subscribe('1')), 4401)
  t.equal(await codeAfter({ type: 'connection_init' }), 4403)
  t.equal(await codeAfter({ type: 'connection_init', payload: { Authorization: 'Bearer wrong' } }), 4403)
  t.equal(await codeAfter({ type: 'connection_init', payload: { Authorization: { a: 1 } } }), 4403)
  t.equal(await codeAfter(), 4408)
  t.equal(await codeAfter(init, init), 4429)
  const { initialize, subscribe: begin, closed } = await openSocket(t, url)
  await initialize(token)
  const id = '\u{1F600}'.repeat(100)
  begin(id, changes)
  begin(id, changes)
  t.equal((await closed).code, 4409)
})

t.test('only this subprotocol is spoken', async t => {
  const { url } = await start(t)
  await t.rejects(openSocket(t, url, { protocol: 'graphql-ws' }))
  const { closed } = await openSocket(t, url, { protocol: '' })
  t.equal((await closed).code, 4406)
})

t.test('messages are not compressed', async t => {
  const { url } = await start(t)
  const { socket } = await openSocket(t, url, { perMessageDeflate: true })
  t.equal(socket.extensions, '')
})

t.test('a ping is answered with its payload', async t => {
  const { url, token } = await start(t)
  const { socket, send, next, initialize } = await openSocket(t, url)
  send({ type: 'ping', payload: { at: 1 } })
  t.same(await next(), { type: 'pong', payload: { at: 1 } })
  t.same(await initialize(token), { type: 'connection_ack' })
  socket.ping('frame')
  const [data] = await once(socket, 'pong')
  t.equal(String(data), 'frame')
})

t.test('a silent socket is pinged, and ends if nobody answers', async t => {
  // Seconds: the other one has time to answer on a busy machine.
  const { url, token } = await start(t, { changesHeartbeat: 1, graphqlStallTimeout: 5 })
  const answering = await openSocket(t, url)
  await answering.initialize(token)
  const silent = await openSocket(t, url, { autoPong: false } as object)
  const pinged = once(silent.socket, 'ping')
  await silent.initialize(token)
  await pinged
  t.equal((await silent.closed).code, 1006)
  t.equal(answering.socket.readyState, answering.socket.OPEN)
})

t.test('a message has a maximum size', async t => {
  const { url, token } = await start(t)
  const { initialize, subscribe, closed, next } = await openSocket(t, url)
  await initialize(token)
  subscribe('1', changes, { extensions: { padding: 'x'.repeat(100_000) } })
  t.match(await next(), { id: '1', type: 'error', payload: [{ extensions: { code: 'BAD_REQUEST' } }] })
  subscribe('2', changes, { extensions: { padding: 'x'.repeat(140_000) } })
  t.equal((await closed).code, 1009)
})

t.test('sockets and subscriptions count as streams of their token', async t => {
  const { url, token } = await start(t, { changesStreamsPerToken: 3, metrics: true })
  const first = await openSocket(t, url)
  await first.initialize(token)
  first.subscribe('1', changes, fromStart)
  t.match(await first.next(), { id: '1', type: 'next' })
  const second = await openSocket(t, url)
  await second.initialize(token)
  first.subscribe('2', changes, fromStart)
  t.match(await first.next(), {
    id: '2',
    type: 'error',
    payload: [{ extensions: { code: 'TEMPORARILY_UNAVAILABLE' } }]
  })
  const third = await openSocket(t, url)
  third.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } })
  t.equal((await third.closed).code, 1013)
  t.equal(await statusOf(url, { authorization: `Bearer ${token}` }), 429)

  // The places of what has ended are free again.
  first.send({ id: '1', type: 'complete' })
  second.socket.close()
  await until(async () => (await countSockets(url)) === 1)
  for (const id of ['3', '4']) first.subscribe(id, changes, fromStart)
  t.same([(await first.next()).type, (await first.next()).type], ['next', 'next'])
})

t.test('a socket has a maximum number of operations', async t => {
  const { url, token } = await start(t, { changesStreamsPerToken: 200 })
  const { initialize, subscribe, next, send } = await openSocket(t, url)
  await initialize(token)
  for (let id = 0; id <= 100; id++) subscribe(String(id), changes)
  t.match(await next(), { id: '100', type: 'error', payload: [{ message: /at most 100 operations/ }] })
  send({ id: '7', type: 'complete' })
  subscribe('100', '{ __typename }')
  t.match(await next(), { id: '100', type: 'next' })
})

t.test('an operation that its client completes ends, and its socket too', async t => {
  const { db, url, token } = await start(t, { metrics: true })
  const { initialize, subscribe, send, next, socket } = await openSocket(t, url)
  await initialize(token)
  const running = async () =>
    Number(
      /^product_templates_change_streams (\d+)$/m.exec(
        await fetch(`${url}/metrics`).then(answer => answer.text())
      )?.[1]
    )
  for (const id of ['1', '2']) subscribe(id, changes)
  await until(async () => (await running()) === 3)
  send({ id: '1', type: 'complete' })
  await until(async () => (await running()) === 2)
  await db.updateTable('product_template').set({ name: 'new' }).execute()
  t.match(await next(), { id: '2', type: 'next' })
  socket.terminate()
  await until(async () => (await running()) === 0)
})

t.test('documents are found by their identifiers', async t => {
  const text = '{ allProducts { name } }'
  const graphqlDocuments = JSON.stringify({ known: text })
  const { url, token } = await start(t, { graphqlDocuments })
  const { initialize, subscribe, next } = await openSocket(t, url)
  await initialize(token)
  const result = { type: 'next', payload: { data: { allProducts: [{ name: 'first' }] } } }
  subscribe('1', '', { documentId: 'known' })
  t.match(await next(), result)
  t.match(await next(), { type: 'complete' })
  const sha256Hash = hash('sha256', text)
  const extensions = { persistedQuery: { version: 1, sha256Hash } }
  subscribe('2', '', { extensions })
  t.match(await next(), { type: 'error', payload: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] })
  subscribe('3', text, { extensions })
  t.match(await next(), result)
  t.match(await next(), { type: 'complete' })
  subscribe('4', '', { extensions })
  t.match(await next(), result)
})

t.test('the upgrade is a span that has succeeded', async t => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const { url, token } = await start(t, { tracer: provider.getTracer('host') })
  const { initialize } = await openSocket(t, url)
  await initialize(token)
  const span = exporter.getFinishedSpans().find(({ name }) => name === 'GET /graphql')
  t.match(span?.attributes, { 'http.response.status_code': 101 })
  t.equal(span?.attributes['error.type'], undefined)
})

t.test('the cost of operations is limited as by HTTP', async t => {
  const { url, token } = await start(t, { graphqlCostRate: 1 })
  const { initialize, subscribe, next } = await openSocket(t, url)
  await initialize(token)
  subscribe('1', '{ allProducts { name } }')
  t.match(await next(), { id: '1', type: 'next' })
  t.match(await next(), { id: '1', type: 'complete' })
  subscribe('2', '{ allProducts { name } }')
  t.match(await next(), { id: '2', type: 'error' })
  const response = await graphqlRequest(url, token, { query: '{ allProducts { name } }' })
  t.equal(response.status, 429)
})

t.test('results wait for a client that does not read, and it is cut off', async t => {
  const { db, url, token } = await start(t, { graphqlStallTimeout: 1, metrics: true })
  const { socket, initialize, subscribe, closed } = await openSocket(t, url)
  await initialize(token)
  const data = JSON.stringify({ text: 'x'.repeat(500_000) })
  await addTemplates(db, ...Array.from({ length: 100 }, (_, index) => ({ id: 100 + index, data })))
  const before = process.memoryUsage().external
  socket.pause()
  subscribe('1', 'subscription { productChanged(after: "start") { contents { data } } }')
  let most = 0
  await until(async () => {
    most = Math.max(most, process.memoryUsage().external - before)
    return (await countSockets(url)) === 0
  })
  t.ok(most < 10_000_000, `${most} bytes`)
  socket.resume()
  t.equal((await closed).code, 1006)
})

t.test('a client that only sends pings and does not read is cut off', async t => {
  const { url, token } = await start(t, { graphqlStallTimeout: 1, metrics: true })
  const { socket, initialize, send, closed } = await openSocket(t, url)
  await initialize(token)
  socket.pause()
  const ping = { type: 'ping', payload: { text: 'x'.repeat(100_000) } }
  for (let count = 0; count < 1000; count++) send(ping)
  let unread = Number.POSITIVE_INFINITY
  await until(async () => {
    if ((await countSockets(url)) === 0) return true
    // A socket that is cut off has no buffer any more.
    if (socket.readyState === socket.OPEN) unread = Math.min(unread, socket.bufferedAmount)
    return false
  })
  t.ok(unread > 50_000_000, `the service left ${unread} bytes unread`)
  socket.resume()
  t.equal((await closed).code, 1006)
})

t.test('pages of other origins are refused, and a wrong token in the header', async t => {
  const { url, token } = await start(t, { corsOrigins: 'https://app.example' })
  t.equal(await statusOf(url, { origin: 'https://evil.example' }), 403)
  t.equal(await statusOf(url, { origin: 'null' }), 403)
  t.equal(await statusOf(url, { origin: 'https://app.example' }), 101)
  t.equal(await statusOf(url, { origin: url }), 101)
  t.equal(await statusOf(url, { authorization: 'Bearer wrong' }), 401)
  t.equal(await statusOf(url, { authorization: `Bearer ${token}` }), 101)
  t.equal(await statusOf(url, { authorization: `Bearer ${token}` }, '?access_token=x'), 400)
})

t.test('sockets without a token: one address has a share of them', async t => {
  const { url, token } = await start(t)
  // A busy machine may take longer to open them than the three seconds in which a token must come.
  new HeldClock(t, 3000)
  const open = await Promise.all(Array.from({ length: 200 }, () => openSocket(t, url)))
  t.equal(await statusOf(url, {}), 503)
  t.equal(await statusOf(url, { authorization: `Bearer ${token}` }), 101)
  const [first] = open
  await first?.initialize(token)
  t.equal(await statusOf(url, {}), 101, 'the place of one that has a token is free')
})

t.test('a client does not choose the values of a metric', async t => {
  const { url } = await start(t, { metrics: true })
  for (const code of [3999, 4999, 1000]) {
    const { socket, closed } = await openSocket(t, url)
    socket.close(code)
    await closed
  }
  await until(async () => (await countSockets(url)) === 0)
  const text = await fetch(`${url}/metrics`).then(response => response.text())
  t.match(text, 'websocket_closes_total{code="other"} 2')
  t.match(text, 'websocket_closes_total{code="1000"} 1')
})

t.test('without the setting, there are no sockets', async t => {
  const { url } = await start(t, { graphqlWebsocket: false })
  t.equal(await statusOf(url, {}), 401)
})
