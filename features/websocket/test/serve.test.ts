// Runs on SQLite only, alone, in test:all only.
/** Sockets of the command `serve`: on all its addresses, with TLS, and during the shutdown. */
import { t } from 'tap'
import { buildServer } from '../../../cli/serve/server.ts'
import { demo } from '../../../seeds/credentials.ts'
import { writeCertificate } from '../../../test/cli/serve/certificate.ts'
import { sqliteUrl } from '../../../test/support/database/database.ts'
import { accessToken, basic } from '../../../test/support/http/http.ts'
import { serve } from '../../../test/support/service/process.ts'
import { database } from '../../../test/support/service/service.ts'
import { optionsFromEnv } from '../../../test/support/service/settings.ts'
import { openSocket, statusOf } from './socket.ts'

const changes = 'subscription { productChanged(after: "start") { revision } }'

for (const WORKERS of ['1', '2'])
  t.test(`with WORKERS=${WORKERS}, sockets end with 1001 at a shutdown`, async t => {
    // ws would wait 30 seconds for the client that is stuck.
    const env = {
      DATABASE_URL: await sqliteUrl(t),
      GRAPHQL_WEBSOCKET: 'true',
      WORKERS,
      SHUTDOWN_TIMEOUT: '25'
    }
    const { url, child, ended } = await serve(t, ['--demo'], env)
    const token = await accessToken(
      url,
      { username: demo.email, password: demo.password },
      { authorization: basic(demo.clientId, demo.clientSecret) }
    )
    const busy = await openSocket(t, url)
    await busy.initialize(token)
    busy.subscribe('1', changes)
    t.match(await busy.next(), { id: '1', type: 'next' })
    // It does not read the end.
    const stuck = await openSocket(t, url)
    await stuck.initialize(token)
    stuck.socket.pause()
    // Without a token, it would end after three seconds.
    const idle = await openSocket(t, url)
    child.kill('SIGTERM')
    for (const { closed } of [busy, idle]) t.match(await closed, { code: 1001 })
    t.equal((await ended).code, 0)
  })

t.test('sockets are accepted on each address', async t => {
  const db = await database(t)
  const settings = optionsFromEnv({ GRAPHQL_WEBSOCKET: 'true', LOG_LEVEL: 'silent' })
  const { app, servers, drain } = await buildServer(settings, db)
  t.teardown(() => drain.run(0).then(() => app.close()))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [other = ''] = await servers.listenAlso(app.server, ['127.0.0.2'], false)
  t.match(other, /127\.0\.0\.2/)
  t.equal(await statusOf(url, {}), 101)
  t.equal(await statusOf(other, {}), 101)
  t.equal((await fetch(`${other}/livez`)).status, 200)
})

t.test('sockets work with TLS, whose connections also speak HTTP/2', async t => {
  const { env } = await writeCertificate(t)
  const more = { DATABASE_URL: await sqliteUrl(t), GRAPHQL_WEBSOCKET: 'true', ...env }
  const { url } = await serve(t, ['--demo'], more)
  const { send, closed } = await openSocket(t, url, { rejectUnauthorized: false })
  send({ type: 'connection_init' })
  t.equal((await closed).code, 4403)
})
