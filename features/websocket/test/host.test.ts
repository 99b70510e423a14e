// Runs on SQLite only.
/** Sockets in a host with upgrades of its own, and behind a prefix. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fastifyWebsocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import { type Test, t } from 'tap'
import { WebSocket, WebSocketServer } from 'ws'
import productTemplates from '../../../index.ts'
import { accessToken } from '../../../test/support/http/http.ts'
import { loggedService } from '../../../test/support/service/log.ts'
import {
  addClient,
  addTemplates,
  addUser,
  cheapHash,
  database,
  host
} from '../../../test/support/service/service.ts'
import { openSocket, start, statusOf } from './socket.ts'

const changes = 'subscription { productChanged(after: "start") { revision } }'

/** Starts a host with one service for each prefix, and calls `before` and `after` them. */
async function startHost(
  t: Test,
  prefixes: string[],
  { before, after }: { before?: (app: FastifyInstance) => unknown; after?: (app: FastifyInstance) => unknown }
) {
  const app = host(t)
  await before?.(app)
  for (const prefix of prefixes) {
    const db = await database(t)
    await addUser(db)
    await addClient(db)
    await addTemplates(db, { id: 1 })
    await app.register(productTemplates, { prefix, db, graphqlWebsocket: true, ...cheapHash })
  }
  await after?.(app)
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** Whether a subscription to the service at this address gets a change. */
async function isServed(t: Test, url: string): Promise<void> {
  const { initialize, subscribe, next } = await openSocket(t, url)
  t.same(await initialize(await accessToken(url)), { type: 'connection_ack' })
  subscribe('1', changes)
  t.match(await next(), { id: '1', type: 'next', payload: { data: { productChanged: { revision: 1 } } } })
}

/** Sends a ping together with the request, before the upgrade. Returns what comes until the pong. */
async function sendEarly(url: string): Promise<string> {
  const { port, pathname } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  const message = Buffer.from('{"type":"ping"}')
  // RFC 6455 §5.2: one masked frame, whose mask is 0.
  const frame = Buffer.from([0x81, 0x80 + message.length, 0, 0, 0, 0, ...message])
  const head = [
    `GET ${pathname}/graphql HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: graphql-transport-ws'
  ]
  socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), frame]))
  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (received.includes('pong')) break
  }
  return received
}

/** Sends a text over a WebSocket of the host, and returns the answer. */
async function echo(address: string): Promise<string> {
  const socket = new WebSocket(address.replace('http', 'ws'))
  await once(socket, 'open')
  socket.send('hello')
  const [data] = await once(socket, 'message')
  socket.terminate()
  return String(data)
}

async function addEcho(app: FastifyInstance): Promise<void> {
  await app.register(fastifyWebsocket)
  app.register(async scope => {
    scope.get('/echo', { websocket: true }, socket => {
      socket.on('message', data => socket.send(`host: ${data}`))
    })
  })
}

for (const when of ['before', 'after'] as const)
  t.test(`a host that registers @fastify/websocket ${when} two services`, async t => {
    const url = await startHost(t, ['/one', '/two'], { [when]: addEcho })
    await isServed(t, `${url}/one`)
    await isServed(t, `${url}/two`)
    t.equal(await echo(`${url}/echo`), 'host: hello')
    t.equal(await statusOf(`${url}/one`, { authorization: 'Bearer wrong' }), 401)
    t.match(await sendEarly(`${url}/two`), /^HTTP\/1.1 101 .*"type":"pong"/s)
  })

t.test('a host with a listener of its own', async t => {
  const url = await startHost(t, ['/shop'], {
    before(app) {
      const server = new WebSocketServer({ noServer: true })
      app.server.on('upgrade', (request, socket, head) => {
        if (request.url === '/echo')
          server.handleUpgrade(request, socket, head, own =>
            own.on('message', data => own.send(`own: ${data}`))
          )
      })
    }
  })
  await isServed(t, `${url}/shop`)
  t.equal(await echo(`${url}/echo`), 'own: hello')
})

t.test('requests that offer another protocol are answered as before', async t => {
  const { url, token } = await start(t)
  const body = JSON.stringify({ query: '{ allProducts { name } }' })
  const ask = async (head: string, content = '') => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`${head}\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n${content}`)
    return text(socket)
  }
  const h2c =
    'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA'
  // As Java's HttpClient does.
  const post = `POST /graphql HTTP/1.1\r\n${h2c}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  t.match(await ask(post, body), /^HTTP\/1.1 200 .*"first"/s)
  const upgrade = 'Connection: close, Upgrade\r\nUpgrade: websocket'
  t.match(await ask(`GET /livez HTTP/1.1\r\n${upgrade}`), /^HTTP\/1.1 200 /)
  t.match(await ask(`GET /graphql HTTP/1.1\r\n${upgrade}`), /^HTTP\/1.1 400 /)
})

t.test('a hook of the host refuses a socket', async t => {
  const { url } = await loggedService(t, {
    graphqlWebsocket: true,
    setUp: app =>
      app.addHook('onRequest', async request => {
        if (request.headers['x-blocked']) throw Object.assign(new Error('blocked'), { statusCode: 403 })
      })
  })
  t.equal(await statusOf(url, { 'x-blocked': '1' }), 403)
  t.equal(await statusOf(url, {}), 101)
})

t.test('a host that authenticates by a cookie ends the socket with the session', async t => {
  let isOpen = true
  const { url, db } = await loggedService(t, {
    graphqlWebsocket: true,
    changesHeartbeat: 1,
    authenticate: ({ headers }) =>
      isOpen && headers.cookie === 'session=1' ? { subject: 'dana', scopes: ['read'] } : undefined
  })
  await addTemplates(db, { id: 1 })
  const anonymous = await openSocket(t, url)
  anonymous.send({ type: 'connection_init' })
  t.equal((await anonymous.closed).code, 4403)
  const { initialize, subscribe, next, closed } = await openSocket(t, url, {
    headers: { cookie: 'session=1' }
  })
  t.same(await initialize(), { type: 'connection_ack' })
  subscribe('1', '{ viewer { name scopes } }')
  t.match(await next(), { payload: { data: { viewer: { scopes: ['read'] } } } })
  isOpen = false
  t.equal((await closed).code, 4403)
})

t.test('the log has each socket and operation, and no token', async t => {
  const { url, lines, db } = await loggedService(t, { graphqlWebsocket: true })
  await addTemplates(db, { id: 1 })
  const token = await accessToken(url)
  const { initialize, subscribe, next, socket, closed } = await openSocket(t, url)
  await initialize(token)
  subscribe('1', 'query Named { allProducts { name } }')
  await next()
  await next()
  socket.close()
  await closed
  const operation = lines.find(({ msg }) => msg === 'WebSocket operation completed')
  t.match(operation, { operation: 'Named', clientId: 'test-client', jti: String })
  t.match(
    lines.find(({ msg }) => msg === 'WebSocket closed'),
    { code: 1005, operations: 1, jti: String }
  )
  const [, , signature = token] = token.split('.')
  t.notOk(JSON.stringify(lines).includes(signature))
})
