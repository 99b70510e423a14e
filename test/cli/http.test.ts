// Runs on SQLite only, in test:all only: import.test.ts and store.test.ts write to both engines.
/** RFC 9112, and proxies: what the server of `serve` takes from a connection. */
import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { t } from 'tap'
import { buildServer, selectProxies } from '../../cli/serve/server.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { rawRequest } from '../support/http/http.ts'
import { serve, start } from '../support/service/process.ts'
import { database } from '../support/service/service.ts'
import { optionsFromEnv } from '../support/service/settings.ts'

t.test('several Host headers, an invalid one, or another transfer coding are 400', async t => {
  const { url } = await serve(t, [], { DATABASE_URL: await migratedUrl(t) })
  const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
  const form = 'Content-Type: application/x-www-form-urlencoded'
  for (const [lines, body] of [
    [['GET /livez HTTP/1.1', 'Host: a', 'Host: b'], ''],
    [['GET /livez HTTP/1.1', 'Host: a', 'host: a'], ''],
    [['GET /livez HTTP/1.1', 'Host: a b'], ''],
    [['GET /livez HTTP/1.1', 'Host: a/b'], ''],
    [['GET /livez HTTP/1.1', 'Host: a,b@c'], ''],
    [['GET /livez HTTP/1.1', 'Host: a:b'], ''],
    [['GET /nowhere HTTP/1.1', 'Host: a', 'Host: b'], ''],
    [['POST /graphql HTTP/1.1', 'Host: a', 'Transfer-Encoding: identity, chunked'], '0\r\n\r\n'],
    [['POST /oauth/token HTTP/1.1', 'Host: a', form, 'Transfer-Encoding: identity, chunked'], '0\r\n\r\n'],
    [
      [
        'POST /oauth/token HTTP/1.1',
        'Host: a',
        form,
        'Transfer-Encoding: gzip',
        'Transfer-Encoding: chunked'
      ],
      '0\r\n\r\n'
    ],
    [['POST /oauth/token HTTP/1.1', 'Host: a', form, 'Transfer-Encoding: chunked, chunked'], '0\r\n\r\n']
  ] as const) {
    const answer = await rawRequest(url, `${lines.join('\r\n')}\r\n\r\n${body}${next}`)
    t.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/, lines.join())
    t.match(answer, /\r\nconnection: close\r\n/i)
    t.equal(answer.match(/HTTP\/1\.1 /g)?.length, 1, 'the rest of the connection is not read')
  }
})

t.test('hosts of every kind, and chunked bodies, are read', async t => {
  const { url } = await serve(t, [], { DATABASE_URL: await migratedUrl(t) })
  for (const host of [
    'a',
    'a.example:8080',
    '127.0.0.1:3000',
    '[::1]:3000',
    '[::ffff:10.0.0.1]',
    'a_b',
    '',
    'a:'
  ]) {
    const head = `GET /livez HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    t.match(await rawRequest(url, head), /^HTTP\/1\.1 200 /, host)
  }
  t.match(await rawRequest(url, 'GET /livez HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
  const chunked = [
    'Host: a',
    'Connection: close',
    'Content-Type: application/x-www-form-urlencoded',
    'Transfer-Encoding: Chunked'
  ]
  const post = `POST /oauth/token HTTP/1.1\r\n${chunked.join('\r\n')}\r\n\r\n3\r\na=b\r\n0\r\n\r\n`
  t.match(await rawRequest(url, post), /^HTTP\/1\.1 401 /)
})

t.test('a request that is not sent in time is noticed within a second', async t => {
  const { app } = await buildServer(optionsFromEnv({ LOG_LEVEL: 'silent' }), await database(t))
  t.teardown(() => app.close())
  const { requestTimeout, headersTimeout } = app.server
  t.same([requestTimeout, headersTimeout], [30_000, 30_000])
  t.match(app.server, { connectionsCheckingInterval: 1000 })
})

/** A request by a Unix domain socket, as a proxy on this machine sends it. */
function get(socketPath: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request({ socketPath, path, headers })
      .once('error', reject)
      .once('response', async answer => resolve({ status: answer.statusCode, body: await json(answer) }))
      .end()
  })
}

t.test(
  'with TRUST_PROXY, who connects to the socket is a proxy: clients have addresses and limits',
  async t => {
    const env = { DATABASE_URL: await migratedUrl(t), ADDRESS_LIMIT: '1' }
    for (const [trust, statuses, address] of [
      [{ TRUST_PROXY: '10.0.0.0/8' }, [405, 405, 429], '203.0.113.9'],
      [{}, [405, 405, 405], undefined]
    ] as const) {
      const socketPath = join(await directory(t), 'socket')
      const service = start(t, ['serve'], { ...env, ...trust, SOCKET_PATH: socketPath })
      await service.line('stdout', /Server listening at/)
      const from = async (forwarded: string) =>
        (await get(socketPath, '/oauth/token', { 'x-forwarded-for': forwarded })).status
      t.same(
        [await from('203.0.113.8'), await from('1.1.1.1, 203.0.113.9, 10.1.2.3'), await from('203.0.113.9')],
        statuses
      )
      service.child.kill('SIGTERM')
      const { stdout } = await service.ended
      const completed = stdout.split('\n').filter(line => line.includes('request completed'))
      t.equal(JSON.parse(completed[1] ?? '{}').req.remoteAddress, address)
    }
  }
)

t.test('a proxy behind the socket is trusted as one behind a port is', async t => {
  const isTrusted = (trustProxy: string) =>
    selectProxies({ ...optionsFromEnv({ TRUST_PROXY: trustProxy }), socketPath: '/run/x' }) as (
      address?: string
    ) => boolean
  for (const [networks, address, expected] of [
    ['loopback', undefined, true],
    ['loopback', '127.0.0.2', true],
    ['loopback', '::1', true],
    ['loopback', '::2', false],
    ['linklocal, uniquelocal', '192.168.1.1', true],
    ['linklocal, uniquelocal', 'fe80::1', true],
    ['linklocal, uniquelocal', 'fd00::1', true],
    ['linklocal, uniquelocal', '8.8.8.8', false],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['2001:db8::/32', '2001:db8::1', true],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false]
  ] as const)
    t.equal(isTrusted(networks)(address), expected, `${networks} ${address}`)
  t.equal(selectProxies(optionsFromEnv({ TRUST_PROXY: 'loopback' })), 'loopback')
  t.equal(selectProxies(optionsFromEnv({ SOCKET_PATH: '/run/x' })), false)
})
