// Runs on SQLite only, alone, in test:all only.
/** How the service ends: whatever was sent before its connection was told to close is answered. */
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import { type Test, t } from 'tap'
import { openDatabase } from '../../../features/database.ts'
import { directory, migratedUrl } from '../../support/database/database.ts'
import { accessToken, basic } from '../../support/http/http.ts'
import { serve, start } from '../../support/service/process.ts'
import { addClient, addTemplates, addUser, user } from '../../support/service/service.ts'
import { listeningWorker } from '../worker-log.ts'
import { writeCertificate } from './certificate.ts'
import { collect, saturate, type Target } from './saturate.ts'

/** A password that takes half a second to verify. */
const slow = { email: 'slow@example.com', cost: { memoryCost: 47_104, timeCost: 8, parallelism: 1 } }
/** Templates and aliases of a response of 50 MB. Sockets may hold 37 MB: see `tcp_rmem` and `tcp_wmem`. */
const templates = 50
const aliases = 4
const dataSize = 250_000
const largeQuery = `{ ${Array.from({ length: aliases }, (_, index) => `a${index}: allProducts { data }`)} }`

/** A database for all tests of the file. */
async function prepare(t: Test): Promise<string> {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  await addUser(db)
  const passwordHash = await hash(user.password, slow.cost)
  await addUser(db, { email: slow.email, passwordHash })
  await addClient(db)
  const data = JSON.stringify('x'.repeat(dataSize))
  await addTemplates(db, ...Array.from({ length: templates }, () => ({ data })))
  await db.destroy()
  return url
}

const post = (path: string, headers: string[], body: string): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', `Content-Length: ${body.length}`, ...headers, '', body].join('\r\n')

const form = 'Content-Type: application/x-www-form-urlencoded'
const login = post(
  '/oauth/token',
  [form, `Authorization: ${basic()}`],
  `grant_type=password&username=${slow.email}&password=${encodeURIComponent(user.password)}`
)
const graphql = (token: string, query: string): string =>
  post(
    '/graphql',
    ['Content-Type: application/json', `Authorization: Bearer ${token}`],
    JSON.stringify({ query })
  )

/** Half of a request: in its head, and in its body. */
const halves = [
  'GET /livez HTT',
  'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Le',
  `POST /oauth/token HTTP/1.1\r\nHost: x\r\n${form}\r\nContent-Length: 10\r\n\r\ngrant`,
  `POST /oauth/token HTTP/1.1\r\nHost: x\r\n${form}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ngrant`
]

/** Lets a service end under full load and checks every connection. */
async function endUnderLoad(t: Test, service: ReturnType<typeof start>, target: Target, token: string) {
  const large = collect(target, graphql(token, largeQuery))
  await large.begun
  large.socket.pause()
  const stream = collect(target, `GET /changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  await stream.begun
  const small = graphql(token, '{ allProducts(limit: 5) { id name } }')
  const busy = Array.from({ length: 50 }, () => saturate(target, small))
  await Promise.all(busy.map(({ begun }) => begun))
  const partial = halves.flatMap(half => [collect(target, half), collect(target, half)])
  const second = collect(target, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await second.begun
  second.socket.write('GET /livez HTTP/1.1\r\nHo')
  const hash = collect(target, login)
  // The load goes on, so what was sent before has arrived.
  const later = saturate(target, small)
  await later.begun

  service.child.kill('SIGTERM')
  await service.line('stdout', /"closing"/)
  large.socket.resume()
  const ends = await Promise.all([...busy, later].map(({ ended }) => ended))
  t.same(
    ends.filter(({ how }) => how === 'unanswered'),
    []
  )
  t.match(await hash.text, /^HTTP\/1.1 200 .*"access_token"/s)
  t.match(await stream.text, /: the service is shutting down\n\n/)
  const response = await large.text
  t.ok(response.length > aliases * templates * dataSize, 'it is whole')
  t.match(response.slice(-20), /"\}\]\}\}$/)
  for (const { text } of [...partial, second])
    t.match(await text, /HTTP\/1\.1 408 Request Timeout\r\n.*Connection: close/s)
  const { code, stdout } = await service.ended
  t.equal(code, 0)
  const warnings = stdout.split('\n').filter(line => /"level":[456]0/.test(line))
  t.same(warnings, [], 'no warning and no error')
}

/** Times that a slow machine does not reach. Without the explorer, which may not be built yet: that is a warning. */
const env = { SHUTDOWN_TIMEOUT: '300', ACCOUNT_LIMIT: '0', GRAPHQL_TIMEOUT: '300', EXPLORER: 'false' }

t.test('SIGTERM at full load: every request is answered, half a request is cut', async t => {
  const DATABASE_URL = await prepare(t)
  await t.test('on a port', async t => {
    const service = await serve(t, [], { DATABASE_URL, ...env })
    const { port } = new URL(service.url)
    await endUnderLoad(t, service, { port: Number(port) }, await accessToken(service.url))
  })
  await t.test('on a Unix domain socket', async t => {
    const path = join(await directory(t), 'service.sock')
    const service = start(t, ['serve'], { DATABASE_URL, ...env, SOCKET_PATH: path })
    await service.line('stdout', /Server listening at/)
    const answer = await collect({ path }, login.replace('Host: x', 'Host: x\r\nConnection: close')).text
    const [, token = ''] = /"access_token":"([^"]+)"/.exec(answer) ?? []
    await endUnderLoad(t, service, { path }, token)
  })
  await t.test('with TLS', async t => {
    const files = await writeCertificate(t)
    const service = await serve(t, [], { DATABASE_URL, ...env, ...files.env })
    const target = { port: Number(new URL(service.url).port), secure: { ca: files.cert } }
    const answer = await collect(target, login.replace('Host: x', 'Host: x\r\nConnection: close')).text
    const [, token = ''] = /"access_token":"([^"]+)"/.exec(answer) ?? []
    await endUnderLoad(t, service, target, token)
  })
  await t.test('with two workers', async t => {
    const service = await serve(t, [], { DATABASE_URL, ...env, WORKERS: '2' })
    await listeningWorker(service, [await listeningWorker(service)])
    const { port } = new URL(service.url)
    await endUnderLoad(t, service, { port: Number(port) }, await accessToken(service.url))
  })
  await t.test(
    'with a response that outlasts SHUTDOWN_TIMEOUT, or after a second signal, the exit code is 1',
    async t => {
      for (const [SHUTDOWN_TIMEOUT, isTwice] of [
        ['1', false],
        ['60', true]
      ] as const) {
        const service = await serve(t, [], { DATABASE_URL, ...env, SHUTDOWN_TIMEOUT })
        const target = { port: Number(new URL(service.url).port) }
        const large = collect(target, graphql(await accessToken(service.url), largeQuery))
        await large.begun
        large.socket.pause()
        service.child.kill('SIGTERM')
        await service.line('stdout', /"closing"/)
        if (isTwice) service.child.kill('SIGINT')
        t.equal((await service.ended).code, 1)
      }
    }
  )
})

t.test(
  'SHUTDOWN_DELAY: everything is served until it is over; idle connections are then ended in order',
  async t => {
    const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t), SHUTDOWN_DELAY: '4' })
    const target = { port: Number(new URL(service.url).port) }
    const livez = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
    const idle = collect(target, livez)
    await idle.begun
    service.child.kill('SIGTERM')
    await service.line('stdout', /"closing"/)
    const busy = saturate(target, livez)
    await busy.begun
    const late = collect(target, livez)
    const silent = collect(target, '')
    for (const { text } of [idle, late]) t.match(await text, /^HTTP\/1\.1 200 .*Connection: keep-alive.*"}$/s)
    t.equal(await silent.text, '')
    t.equal((await busy.ended).how, 'announced')
    t.equal((await service.ended).code, 0)
  }
)
