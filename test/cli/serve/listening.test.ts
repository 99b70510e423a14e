// Runs on SQLite only, alone, in test:all only.
/** Where the service listens: the socket and its mode, and the listener for probes. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { t } from 'tap'
import { directory, migratedUrl } from '../../support/database/database.ts'
import { rawRequest } from '../../support/http/http.ts'
import { freePort } from '../../support/postgres/postgres.ts'
import { type Running, run, serve, start } from '../../support/service/process.ts'
import { until } from '../../support/until.ts'
import { saturate } from './saturate.ts'

const report = async (url: string, path: string) => {
  const response = await fetch(url + path)
  return [response.status, await response.json()] as const
}

/** Where the probes are, as the log says: on all addresses, so also on loopback. */
async function findProbes({ line }: Running): Promise<string> {
  const { msg } = JSON.parse(await line('stdout', /"msg":"Probes at /))
  const [, port] = /^Probes at http:\/\/(?:\[::\]|0\.0\.0\.0):(\d+)$/.exec(msg) ?? []
  return `http://127.0.0.1:${port}`
}

const fine = { database: 'ok', writable: 'ok', migrations: 'ok', index: 'ok', drain: 'ok' }

t.test('the owner and the group of the socket may connect', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const SOCKET_PATH = join(await directory(t), 'service.sock')
  const { child, line, ended } = start(t, ['serve'], { DATABASE_URL, SOCKET_PATH })
  await line('stdout', /Server listening at/)
  t.equal((await stat(SOCKET_PATH)).mode & 0o777, 0o660)
  const health = await run(t, ['health'], { SOCKET_PATH })
  t.same([health.code, health.stdout], [0, 'ready\n'], health.stderr)
  child.kill('SIGTERM')
  t.equal((await ended).code, 0)
})

t.test('HEALTH_PORT has the probes and nothing else, until the end', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const env = { DATABASE_URL, HEALTH_PORT: '0', SHUTDOWN_DELAY: '5' }
  const service = await serve(t, [], env)
  const probes = await findProbes(service)
  for (const path of ['/livez', '/startupz']) t.same(await report(probes, path), [200, { status: 'ok' }])
  t.same(await report(probes, '/readyz?verbose'), [200, { status: 'ok', checks: fine }])
  for (const path of ['/graphql', '/oauth/token', '/'])
    t.equal((await fetch(probes + path, { method: 'POST' })).status, 404)
  t.equal((await fetch(`${probes}/livez`, { method: 'HEAD' })).status, 200)
  const wrong = await fetch(`${probes}/livez`, { method: 'PUT' })
  t.same([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD'])

  const busy = saturate({ port: Number(new URL(service.url).port) }, 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  service.child.kill('SIGTERM')
  await service.line('stdout', /"closing"/)
  t.match(await report(probes, '/readyz'), [503, { status: 'unavailable', checks: { drain: 'draining' } }])
  t.equal((await fetch(`${service.url}/readyz`)).status, 503)
  t.equal((await fetch(`${probes}/livez`)).status, 200)
  t.equal((await busy.ended).how, 'announced')
  const { code, stdout } = await service.ended
  t.equal(code, 0)
  t.notMatch(stdout, /"path":"\/\w+z".*request completed/, 'probes are not logged at info')
})

/** Targets that no URL is made of, that mean another host, or that cannot be decoded. */
const targets = [
  '//',
  '//livez',
  '//[',
  'http://',
  'http://[',
  'http:///livez',
  'x:/',
  '*',
  '?',
  '/%',
  '/%zz',
  '/%ff'
]
for (const path of ['/livez', '/explorer/', '/metadata/', '/oauth/authorize?client_id=', '/graphql?query='])
  targets.push(path, `${path}//`, `${path}%`, `${path}%ff.json`)

t.test('a malformed target of a request is refused and ends no process', async t => {
  const service = await serve(t, [], { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: '0' })
  for (const url of [await findProbes(service), service.url]) {
    const answers: Record<string, string> = {}
    for (const method of ['GET', 'OPTIONS', 'CONNECT', 'BREW'])
      for (const target of targets) {
        const head = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
        answers[`${method} ${target}`] = await rawRequest(url, head).catch(({ code }) => code)
      }
    // Node closes a connection without a word for CONNECT.
    const isFine = (answer: string) => /^(HTTP\/1\.1 [234]|$)/.test(answer)
    t.same(
      Object.entries(answers).filter(([, answer]) => !isFine(answer)),
      []
    )
    t.equal((await fetch(`${url}/livez`)).status, 200)
  }
})

t.test('HEALTH_PORT responds during the start, and `health` asks it', async t => {
  const HEALTH_PORT = String(await freePort())
  const unreachable = `postgres://127.0.0.1:${await freePort()}/templates`
  const starting = start(t, ['serve'], { HEALTH_PORT, DATABASE_URL: unreachable })
  const live = () => run(t, ['health', '--live'], { HEALTH_PORT })
  await until(async () => (await live()).code === 0)
  for (const flag of ['--startup', '--ready']) {
    // No setting but those of the listener matters.
    const { code, stderr } = await run(t, ['health', flag], { HEALTH_PORT, NODE_ENV: 'production' })
    t.equal(code, 1)
    t.match(stderr, /^product-templates: the service is not healthy: .*"start":"running"/)
  }
  starting.child.kill('SIGKILL')
  await starting.ended
  const { code, stderr } = await live()
  t.equal(code, 1)
  t.match(stderr, /^product-templates: the service does not respond: .*ECONNREFUSED.*\n$/)
  const both = await run(t, ['health', '--live', '--ready'], { HEALTH_PORT })
  t.equal(both.code, 2)
})

t.test('a busy HEALTH_PORT is reported in one line with exit code 1', async t => {
  const first = await serve(t, [], { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: '0' })
  const HEALTH_PORT = new URL(await findProbes(first)).port
  const { code, stderr } = await run(t, ['serve'], {
    DATABASE_URL: await migratedUrl(t),
    PORT: '0',
    HEALTH_PORT
  })
  t.same([code, stderr.split('\n').length], [1, 2])
  t.match(stderr, /^product-templates: cannot listen for probes: .*EADDRINUSE/)
})
