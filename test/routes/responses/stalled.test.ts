// Runs on SQLite only, in test:all only.
/** Clients that read a response slowly, or stop: on plain connections, on TLS, and in HTTP/2. */
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestHttps } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import type { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { type Test, t } from 'tap'
import type { ServiceSettings } from '../../../options/index.ts'
import { responseMemory } from '../../../routes/responses/response-memory.ts'
import { sendOwn, sendShared } from '../../../routes/responses/send.ts'
import { makeCertificate } from '../../cli/serve/certificate.ts'
import { until } from '../../support/until.ts'
import { HeldClock } from './held-clock.ts'

/** Seconds. No other timer of this process is as long. */
const stall = 10_000
/** Milliseconds in which a client may stop. */
const aWhile = 600 * stall
/** Bytes that a slow client reads between two pauses. */
const part = 2 ** 20
/** More than the kernel takes for a client that does not read. */
const large = Buffer.alloc(16 * 2 ** 20, 'x')
const small = Buffer.from('x')

const protocols = ['http', 'https', 'http2'] as const

/** Starts a server. Returns a function that requests a path, one that counts pending bytes, and the clock. */
async function start(t: Test, protocol: (typeof protocols)[number]) {
  const clock = new HeldClock(t, 1000 * stall)
  const { cert, key } = await makeCertificate()
  const https = { cert, key, allowHTTP1: true }
  const app = (protocol === 'http'
    ? Fastify()
    : Fastify({ http2: true, https })) as unknown as FastifyInstance
  t.teardown(() => app.close())
  const settings = { graphqlMaxPendingSize: 2 ** 30, graphqlStallTimeout: stall }
  await app.register(responseMemory, settings as ServiceSettings)
  const made = Promise.withResolvers<void>()
  app.get('/own', (_request, reply) => sendOwn(reply, [large], {}))
  app.get('/shared', (_request, reply) => sendShared(reply, large, {}))
  app.get('/small', (_request, reply) => sendShared(reply, small, {}))
  app.get('/slow', (_request, reply) => {
    setTimeout(() => sendOwn(reply, [small], {}), 2000 * stall)
  })
  app.get('/late', (_request, reply) => {
    reply.raw.once('close', () => made.resolve(sendOwn(reply, [large], {}))).destroy()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const session = protocol === 'http2' ? connectHttp2(`https://127.0.0.1:${port}`, { ca: cert }) : undefined
  t.teardown(() => session?.destroy())
  const get = async (path: string): Promise<Readable> => {
    if (session) {
      const stream = session.request({ ':path': path })
      await once(stream, 'response')
      return stream
    }
    const options = { port, host: '127.0.0.1', path, ca: cert, agent: false }
    const request = protocol === 'http' ? requestHttp(options) : requestHttps(options)
    const [response] = await once(request.end(), 'response')
    return response
  }
  return { port, get, made: made.promise, pending: () => app.productResponseMemory.bytes, clock }
}

/** A client that reads some of `length` bytes, until the server has noticed it, or all. */
function slowReader(stream: Readable, length: number, countRefreshes: () => number) {
  let left = length
  let now = 0
  stream.on('data', bytes => {
    left -= bytes.length
    now += bytes.length
    if (now > part) stream.pause()
  })
  return {
    hasRead: () => left <= 0,
    async readSome() {
      for (const before = countRefreshes(); left > 0 && countRefreshes() === before; ) {
        now = 0
        stream.resume()
        await until(() => left <= 0 || now > part)
      }
    }
  }
}

/** Lets slow clients read to the end. Returns whether that takes several times as long as one may stop. */
async function readSlowly(readers: ReturnType<typeof slowReader>[], clock: HeldClock): Promise<boolean> {
  let turns = 0
  for (; !readers.every(({ hasRead }) => hasRead()); turns++) {
    await Promise.all(readers.map(({ readSome }) => readSome()))
    clock.pass(aWhile)
  }
  return turns * aWhile > 2500 * stall
}

/** Reads what there is until a response is complete or cut. Returns how many bytes. */
async function readRest(stream: Readable): Promise<number> {
  let length = 0
  stream.on('data', bytes => {
    length += bytes.length
  })
  if (!stream.closed) await new Promise(resolve => stream.once('close', resolve))
  return length
}

for (const protocol of protocols)
  t.test(`${protocol}: a client that stops is cut, one that reads slowly is not`, async t => {
    const { get, pending, clock } = await start(t, protocol)
    const paths = ['/own', '/shared']
    const stopped = await Promise.all(paths.map(get))
    for (const response of stopped) response.on('error', () => {})
    const slow: ReturnType<typeof slowReader>[] = []
    for (const path of paths) {
      const at = clock.timers.length
      slow.push(slowReader(await get(path), large.length, () => clock.timers[at]?.refreshes ?? 0))
    }
    t.ok(pending() > large.length, `${pending()} bytes`)
    t.ok(await readSlowly(slow, clock))
    for (const response of stopped) {
      const rest = await readRest(response)
      t.ok(rest < large.length, `${rest} bytes`)
    }
    await until(() => pending() === 0)
  })

t.test('on one connection, no response is cut for those before and after it', async t => {
  const { port, pending, clock } = await start(t, 'http')
  const socket = connect(port, '127.0.0.1')
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  // The second one waits while the first one is read.
  for (const path of ['/own', '/shared']) ask(path)
  const countRefreshes = () => clock.timers.reduce((sum, { refreshes }) => sum + refreshes, 0)
  t.ok(await readSlowly([slowReader(socket, 2 * large.length, countRefreshes)], clock))
  socket.resume()
  await until(() => pending() === 0)
  // It is made for longer than a client may stop.
  const { length: before } = clock.timers
  ask('/slow')
  await until(() => clock.timers.length > before)
  for (let turn = 0; turn < 4; turn++) clock.pass(aWhile)
  const [last] = await once(socket, 'data')
  t.match(String(last), /^HTTP\/1.1 200 OK/)
  socket.destroy()
})

t.test('a client of HTTP/2 that stops one response is cut although it reads others', async t => {
  const { get, pending, clock } = await start(t, 'http2')
  const stopped = await get('/own')
  const closed = once(stopped, 'close')
  stopped.on('error', () => {})
  for (let turn = 0; turn < 2; turn++) {
    t.ok(pending() > 0)
    await readRest(await get('/small'))
    clock.pass(aWhile)
  }
  await until(() => pending() === 0)
  stopped.resume()
  await closed
})

t.test('a response whose client has gone before it was made takes no memory', async t => {
  for (const protocol of protocols) {
    const { get, pending, made } = await start(t, protocol)
    get('/late').catch(() => {})
    await made
    t.equal(pending(), 0, protocol)
  }
})
