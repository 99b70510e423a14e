// Runs on SQLite only, in test:all only.
/** Clients without a token that ask for much and read nothing: memory stays bounded, and their connections end. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { brotliDecompressSync } from 'node:zlib'
import Fastify from 'fastify'
import { type Test, t } from 'tap'
import { productTemplates } from '../../index.ts'
import { makeCertificate, writeCertificate } from '../cli/serve/certificate.ts'
import { buildExplorer } from '../explorer/browse.ts'
import { migratedUrl } from '../support/database/database.ts'
import { needs } from '../support/programs.ts'
import { serve } from '../support/service/process.ts'
import { cheapHash } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { HeldClock } from './responses/held-clock.ts'

/** MiB that all unread responses together may add to the process; each of the files is 2.7. */
const mostGrowth = 120

/** Requests on a connection of HTTP/1. */
const requests = 4

/** The largest file of the explorer, and its size without a coding, in bytes. */
function findFile(): { path: string; size: number } {
  buildExplorer()
  const folder = new URL('../../node_modules/.cache/product-templates/explorer/', import.meta.url)
  const name = String(readdirSync(folder).find(name => /^monaco-editor-.*\.js\.br$/.test(name)))
  const size = brotliDecompressSync(readFileSync(new URL(name, folder))).byteLength
  return { path: `/explorer/${name.slice(0, -3)}`, size }
}

const mebibytes = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const launch = async (t: Test, env: Record<string, string> = {}) =>
  serve(t, [], { DATABASE_URL: await migratedUrl(t), EXPLORER: 'true', ...env })

/** Asks for a path, and stops to read at the beginning of the response. */
async function stall(t: Test, socket: Socket, path: string, coding: string): Promise<Socket> {
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  // More than the kernel takes for it.
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`.repeat(requests))
  const [begin] = await once(socket, 'data')
  socket.pause()
  if (!String(begin).startsWith('HTTP/1.1 200 OK')) throw new Error(String(begin))
  return socket
}

t.test('over HTTP, in every coding', needs('Linux'), async t => {
  const { path } = findFile()
  const { url, child } = await launch(t)
  const port = Number(new URL(url).port)
  await (await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })).text()
  const before = mebibytes(child.pid)
  for (const coding of ['identity', 'br', 'gzip'])
    await Promise.all(Array.from({ length: 100 }, () => stall(t, connect(port, '127.0.0.1'), path, coding)))
  const growth = mebibytes(child.pid) - before
  t.ok(growth < mostGrowth, `${Math.round(growth)} MiB`)
})

t.test('over TLS, and on one HTTP/2 connection, with and without a window', needs('Linux'), async t => {
  const { path } = findFile()
  const { cert, env } = await writeCertificate(t)
  const { url, child } = await launch(t, env)
  const port = Number(new URL(url).port)
  const tls = { port, host: '127.0.0.1', ca: cert }
  await stall(t, connectTls(tls), path, 'identity')
  const before = mebibytes(child.pid)
  await Promise.all(Array.from({ length: 40 }, () => stall(t, connectTls(tls), path, 'identity')))
  for (const initialWindowSize of [0, 2 ** 31 - 1]) {
    const session = connectHttp2(url, { ca: cert, settings: { initialWindowSize } })
    t.teardown(() => session.destroy())
    session.on('error', () => {})
    await once(session, 'remoteSettings')
    const streams = Array.from({ length: 100 }, () =>
      session.request({ ':path': path }).on('error', () => {})
    )
    await Promise.all(streams.map(stream => once(stream, 'response')))
  }
  const growth = mebibytes(child.pid) - before
  t.ok(growth < mostGrowth, `${Math.round(growth)} MiB`)
})

t.test('they leave no room for other large files, until their connections end', needs('Linux'), async t => {
  const { path, size } = findFile()
  // Over TLS, it is sent in pieces, so that a client that reads none ends after the stall timeout.
  const { cert: ca, key } = await makeCertificate()
  // Seconds. No other timer of this process is as long.
  const stallTimeout = 3600
  const clock = new HeldClock(t, 1000 * stallTimeout)
  const app = Fastify({ https: { cert: ca, key }, pluginTimeout: 0 })
  t.teardown(() => app.close())
  const database = await migratedUrl(t)
  const stalled = { graphqlStallTimeout: stallTimeout, graphqlMaxPendingSize: 1024 }
  const options = { database, explorer: true, ...stalled }
  await app.register(productTemplates, { ...options, ...cheapHash })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = await stall(
    t,
    connectTls({ port: Number(new URL(url).port), host: '127.0.0.1', ca }),
    path,
    'identity'
  )
  const get = async (headers: Record<string, string>, at = path) => {
    const [response] = (await once(request(url + at, { ca, headers }).end(), 'response')) as [IncomingMessage]
    const { 'retry-after': retryAfter, 'cache-control': cacheControl } = response.headers
    return [response.statusCode, (await buffer(response)).byteLength, retryAfter, cacheControl]
  }
  const other = { 'accept-encoding': 'br' }
  t.match(await get(other), [503, Number, '1', undefined], 'no client caches the refusal')
  t.match(await get({ 'accept-encoding': 'identity' }), [200, size], 'the same bytes count once')
  t.match(await get({}, '/schemas/template.json'), [200], 'a small one')
  clock.pass(2000 * stallTimeout)
  await until(async () => (await get(other))[0] !== 503)
  let length = 0
  socket.on('data', bytes => {
    length += bytes.length
  })
  socket.resume()
  await once(socket, 'close')
  t.ok(length < requests * size, `${length} bytes`)
})
