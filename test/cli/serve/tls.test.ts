// Runs on SQLite only, alone, in test:all only.
/** HTTPS and HTTP/2, and new certificates without losing a connection. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders
} from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import Database from 'better-sqlite3'
import { type Test, t } from 'tap'
import { readTlsFiles } from '../../../cli/serve/tls.ts'
import { demo } from '../../../seeds/credentials.ts'
import { directory, migratedUrl } from '../../support/database/database.ts'
import { basic } from '../../support/http/http.ts'
import { freePort } from '../../support/postgres/postgres.ts'
import { run, serve, start } from '../../support/service/process.ts'
import { optionsFromEnv } from '../../support/service/settings.ts'
import { until } from '../../support/until.ts'
import { listeningWorker } from '../worker-log.ts'
import { makeCertificate, writeCertificate } from './certificate.ts'
import { collect, type Target } from './saturate.ts'

function openSession(t: Test, url: string, ca: string): ClientHttp2Session {
  const session = connect(url, { ca })
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  return session
}

/** Sends a request. Reads the body at once: Node throws one away that is complete before somebody reads. */
async function send(session: ClientHttp2Session, path: string, more: OutgoingHttpHeaders = {}, body = '') {
  const stream = session.request({ ':path': path, ':method': body === '' ? 'GET' : 'POST', ...more })
  if (body !== '') stream.end(body)
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders]
  return { status: headers[':status'], headers, text: await text(stream) }
}

async function login(session: ClientHttp2Session): Promise<string> {
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic(demo.clientId, demo.clientSecret)
  }
  const form = { grant_type: 'password', username: demo.email, password: demo.password }
  const issued = await send(session, '/oauth/token', headers, new URLSearchParams(form).toString())
  return JSON.parse(issued.text).access_token
}

/** The certificate that a new connection gets. */
async function findCertificate(port: number, ca: string[]): Promise<string> {
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ca })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerX509Certificate() as X509Certificate
  socket.destroy()
  return fingerprint256
}

const fingerprint = (cert: string): string => new X509Certificate(cert).fingerprint256

t.test('HTTP/1 and HTTP/2 with a certificate; the issuer and the banner say https', async t => {
  const { cert, env } = await writeCertificate(t)
  const service = await serve(t, ['--demo'], { DATABASE_URL: await migratedUrl(t), ...env })
  t.match(service.url, /^https:/)
  t.match(await service.line('stderr', /^curl .*\/oauth\/token$/), ` --cacert ${env.TLS_CERT_FILE} `)
  const target: Target = { port: Number(new URL(service.url).port), secure: { ca: cert } }
  const first = await collect(target, 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n').text
  t.match(first, /^HTTP\/1\.1 200 .*strict-transport-security/is)

  const session = openSession(t, service.url, cert)
  const token = await login(session)
  const { iss } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  t.equal(iss, service.url)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await send(session, '/graphql', headers, '{"query":"{ allProducts(limit: 1) { id } }"}')
  t.match(JSON.parse(answer.text), { data: { allProducts: [{ id: Number }] } })
  // nghttp2 refuses an invalid authority itself.
  const wrong = await send(session, '/livez', { ':authority': 'a', host: 'b' })
  t.same([wrong.status, wrong.headers.connection], [400, undefined])
  const { port } = new URL(service.url)
  const health = await run(t, ['health'], { ...env, PORT: port })
  t.same([health.code, health.stdout], [0, 'ready\n'], health.stderr)
  service.child.kill('SIGTERM')
  const { code, stderr } = await service.ended
  t.equal(code, 0)
  t.notMatch(stderr, /Warning/)
})

t.test('unusable files are refused before anything is opened, with a reason', async t => {
  const { env } = await writeCertificate(t)
  const other = await writeCertificate(t)
  const { TLS_CERT_FILE, TLS_KEY_FILE } = env
  for (const [given, message] of [
    [{ TLS_CERT_FILE }, /TLS_KEY_FILE is missing: TLS needs a certificate and its key/],
    [{ TLS_KEY_FILE }, /TLS_CERT_FILE is missing/],
    [{ TLS_CERT_FILE: '/nowhere', TLS_KEY_FILE }, /TLS_CERT_FILE cannot be read \(ENOENT\): \/nowhere/],
    [
      { ...env, TLS_KEY_FILE: other.env.TLS_KEY_FILE },
      /the key in TLS_KEY_FILE does not belong to the certificate/
    ],
    [{ TLS_CERT_FILE, TLS_KEY_FILE: TLS_CERT_FILE }, /TLS_KEY_FILE must be a PEM file with a private key/],
    [{ TLS_CERT_FILE: TLS_KEY_FILE, TLS_KEY_FILE }, /TLS_CERT_FILE must be a PEM file with a certificate/]
  ] as const) {
    t.throws(() => readTlsFiles(optionsFromEnv(given)), { code: 'PTS_BAD_OPTION', message })
  }
  const { code, stderr } = await run(t, ['serve'], { ...env, TLS_KEY_FILE: '/nowhere', PORT: '0' })
  t.equal(code, 2)
  t.match(stderr, /^product-templates: PTS_BAD_OPTION: TLS_KEY_FILE cannot be read \(ENOENT\): \/nowhere\n$/)
})

t.test('SIGHUP reads the files again and loses no connection; unusable ones change nothing', async t => {
  const DATABASE_URL = await migratedUrl(t)
  for (const WORKERS of ['1', '2']) {
    const { cert, env, write } = await writeCertificate(t)
    const service = await serve(t, ['--demo'], { DATABASE_URL, WORKERS, ...env })
    const workers = [await listeningWorker(service)]
    if (WORKERS === '2') workers.push(await listeningWorker(service, workers))
    const port = Number(new URL(service.url).port)
    const sessions = [openSession(t, service.url, cert), openSession(t, service.url, cert)]
    const token = await login(sessions[0] as ClientHttp2Session)
    const stream = sessions[1]?.request({ ':path': '/changes', authorization: `Bearer ${token}` })
    await once(stream as NonNullable<typeof stream>, 'response')

    const renewed = await makeCertificate('renewed.test')
    await write(renewed)
    service.child.kill('SIGHUP')
    for (const worker of workers)
      await service.line('stdout', new RegExp(`"pid":${worker},.*TLS certificate loaded`))
    await writeFile(env.TLS_KEY_FILE, 'no key')
    service.child.kill('SIGHUP')
    await service.line('stdout', /"level":50,.*the TLS files are unusable/)
    t.equal(await findCertificate(port, [cert, renewed.cert]), fingerprint(renewed.cert))
    for (const session of sessions) t.equal((await send(session, '/livez')).status, 200)
    t.notOk(stream?.closed)

    service.child.kill('SIGTERM')
    t.match(await text(stream as NonNullable<typeof stream>), /: the service is shutting down\n\n$/)
    t.equal((await service.ended).code, 0)
  }
})

t.test('SIGHUP while the service starts: it serves with the new files', async t => {
  for (const WORKERS of ['1', '2']) {
    const { cert, env, write } = await writeCertificate(t)
    // Before, because the service waits for the lock for five seconds only, and a key may take as long.
    const renewed = await makeCertificate('renewed.test')
    const file = join(await directory(t), 'templates.db')
    const HEALTH_PORT = String(await freePort())
    // The service waits for the lock. By then it has read the files.
    const lock = new Database(file)
    lock.exec('pragma journal_mode = wal; begin immediate')
    const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0', HEALTH_PORT, WORKERS, ...env }
    const { child, line, ended } = start(t, ['serve'], settings)
    const lives = () =>
      fetch(`http://127.0.0.1:${HEALTH_PORT}/livez`).then(
        ({ ok }) => ok,
        () => false
      )
    await Promise.race([until(lives), ended])
    await write(renewed)
    child.kill('SIGHUP')
    lock.close()
    const { msg } = JSON.parse(await line('stdout', /Server listening at/))
    await line('stdout', /TLS certificate loaded/)
    t.match(msg, /https:/)
    const { port } = new URL(msg.replace('Server listening at ', ''))
    t.equal(await findCertificate(Number(port), [cert, renewed.cert]), fingerprint(renewed.cert), WORKERS)
    child.kill('SIGKILL')
  }
})

t.test('without TLS, SIGHUP changes nothing', async t => {
  const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t) })
  service.child.kill('SIGHUP')
  await service.line('stdout', /there is nothing to reload/)
  t.equal((await fetch(`${service.url}/livez`)).status, 200)
})

t.test('HTTP/2 ends with GOAWAY: what came before is answered, half a request is refused', async t => {
  const { cert, env } = await writeCertificate(t)
  const service = await serve(t, ['--demo'], { DATABASE_URL: await migratedUrl(t), ...env })
  const session = openSession(t, service.url, cert)
  const token = await login(session)
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const half = session.request({ ':path': '/graphql', ':method': 'POST', ...bearer })
  half.write('{"query":')
  const refused = new Promise(resolve => half.once('close', resolve))
  half.on('error', () => {})
  const idle = openSession(t, service.url, cert)
  await once(idle, 'connect')
  const goaway = once(session, 'goaway')
  const answers = Array.from({ length: 20 }, () =>
    send(session, '/graphql', bearer, '{"query":"{ allProducts { data } }"}')
  )
  await answers[0]
  service.child.kill('SIGTERM')
  const [code, lastId] = await goaway
  t.equal(code, 0)
  for (const { text } of await Promise.all(answers)) t.match(text, /\}\]\}\}$/)
  t.ok(lastId > 40, String(lastId))
  await refused
  t.equal(half.rstCode, 7, 'REFUSED_STREAM')
  t.equal((await service.ended).code, 0)
})
