// Runs on PostgreSQL only, in test:all only.
/** Several servers of PostgreSQL: connections go to the one with the wanted role. */
import { type Test, t } from 'tap'
import { postgresEngine } from '../../db/dialects/postgres/engine.ts'
import { postgresDefaults } from '../../db/url.ts'
import { openDatabase } from '../../features/database.ts'
import { demo } from '../../seeds/credentials.ts'
import { onServer } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest } from '../support/http/http.ts'
import { proxy } from '../support/http/proxy.ts'
import { catchUp, hostList, startPair } from '../support/postgres/pair.ts'
import { freePort, type PostgresServer } from '../support/postgres/postgres.ts'
import { needs } from '../support/programs.ts'
import { run, serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'

// A busy machine may take longer than seconds to connect, which would look like a server that is gone.
const env = {
  PASSWORD_MEMORY: '7168',
  DATABASE_CONNECT_TIMEOUT: '30',
  DATABASE_QUERY_TIMEOUT: '60',
  ADDRESS_LIMIT: '0',
  CLIENT_LIMIT: '0',
  ISSUER: 'https://issuer.example'
}
const client = { authorization: basic(demo.clientId, demo.clientSecret) }
const user = { username: demo.email, password: demo.password }

async function rename(url: string, token: string, name: string): Promise<void> {
  const found = await graphqlRequest(url, token, { query: '{ allProducts(limit: 1) { id } }' })
  const { data } = (await found.json()) as { data: { allProducts: { id: number }[] } }
  const id = data.allProducts[0]?.id
  const query = `mutation { updateProduct(id: ${id}, input: { name: "${name}" }) { product { name } } }`
  const text = await (await graphqlRequest(url, token, { query })).text()
  if (text !== `{"data":{"updateProduct":{"product":{"name":"${name}"}}}}`) throw new Error(text)
}

const revoke = (url: string, token: string) =>
  fetch(`${url}/oauth/revoke`, { method: 'POST', headers: client, body: new URLSearchParams({ token }) })

const names = async (url: string, token: string) => {
  const response = await graphqlRequest(url, token, { query: '{ allProducts { name } }' })
  return { status: response.status, text: await response.text() }
}

t.test('through a proxy that leads to a standby, nothing is stale and no revoked token works', async t => {
  const { primary, standby } = await startPair(t)
  const between = await proxy(t, primary.port)
  const reader = await serve(t, ['--demo'], { DATABASE_URL: hostList(primary, [between.port]), ...env })
  const writer = await serve(t, [], { DATABASE_URL: primary.url, ...env })
  const token = await accessToken(writer.url, user, client)
  t.equal((await names(reader.url, token)).status, 200)
  const revoked = await Promise.all(Array.from({ length: 10 }, () => accessToken(writer.url, user, client)))
  for (const each of revoked) t.equal((await names(reader.url, each)).status, 200)

  await catchUp(standby, primary)
  await onServer(standby.url, 'select pg_wal_replay_pause()')
  between.lead(standby.port)
  for (const each of revoked) t.equal((await revoke(writer.url, each)).status, 200)
  const answers = []
  for (let count = 0; count < 40; count++) {
    const name = `name ${count}`
    await rename(writer.url, token, name)
    const { status, text } = await names(reader.url, token)
    answers.push(status === 503 || text.includes(name) ? 'right' : `stale: ${status}`)
    const late = await names(reader.url, revoked[count % revoked.length] as string)
    answers.push(late.status === 503 || late.status === 401 ? 'right' : `revoked: ${late.status}`)
  }
  t.same([...new Set(answers)], ['right'])

  between.lead(primary.port)
  await until(async () => (await names(reader.url, token)).status === 200)
  t.match((await names(reader.url, token)).text, /name 39/)
  t.equal((await names(reader.url, revoked[0] as string)).status, 401)
})

/** A command does not start on a server with another role than wanted, and says why. */
async function refusesRoles(t: Test, primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const cases = [
    [standby, 'primary', 'a standby'],
    [standby, 'read-write', 'a standby'],
    [primary, 'standby', 'a primary'],
    [primary, 'read-only', 'a primary']
  ] as const
  await Promise.all(
    cases.map(async ([server, attributes, found]) => {
      const DATABASE_URL = hostList(server, [server.port], `?target_session_attrs=${attributes}`)
      const once = { DATABASE_URL, DATABASE_START_TIMEOUT: '0', PORT: '0' }
      const { code, stderr } = await run(t, ['serve'], { ...env, ...once })
      t.equal(code, 1)
      t.match(stderr, `the server is ${found}, and target_session_attrs is ${attributes}`)
    })
  )
}

t.test(
  'on a standby the version is always read, because snapshots there do not tell commits apart',
  async t => {
    const { primary, standby } = await startPair(t)
    await (await openDatabase(primary.url)).destroy()
    await catchUp(standby, primary)
    const readTwice = async ({ url }: PostgresServer) => {
      const any = `${url}?target_session_attrs=any`
      const db = await postgresEngine.openReadOnly(any, postgresDefaults)
      t.teardown(() => db.destroy())
      const first = await postgresEngine.readVersions(db, undefined)
      const second = await postgresEngine.readVersions(db, first.mark)
      return [first, second].map(({ rows }) => rows?.length)
    }
    t.same(await readTwice(primary), [2, undefined])
    t.same(await readTwice(standby), [2, 2])
  }
)

t.test('of a list of hosts, the primary is found, also after another one took over', async t => {
  const { primary, standby } = await startPair(t)
  await refusesRoles(t, primary, standby)
  const hosts = hostList(primary, [await freePort(), standby.port, primary.port])
  const { url } = await serve(t, ['--demo'], { DATABASE_URL: hosts, ...env })
  const token = await accessToken(url, user, client)
  t.equal((await names(url, token)).status, 200)
  await catchUp(standby, primary)
  await primary.kill()
  await onServer(standby.url, 'select pg_promote()')
  await until(async () => (await names(url, token)).status === 200)
  await rename(url, token, 'after')
})

t.test('a primary that hangs is left as soon as another one took over', needs('Linux'), async t => {
  const { primary, standby } = await startPair(t)
  const hosts = hostList(primary, [primary.port, standby.port])
  // Without asking the server, the connection would wait that long.
  const { url } = await serve(t, ['--demo'], { ...env, DATABASE_URL: hosts })
  const token = await accessToken(url, user, client)
  await catchUp(standby, primary)
  primary.signal('SIGSTOP')
  t.teardown(() => primary.signal('SIGCONT'))
  t.match(await names(url, token), { status: 503 }, 'nothing is held until the standby is promoted')
  await onServer(standby.url, 'select pg_promote()')
  await until(async () => (await names(url, token)).status === 200)
  await rename(url, token, 'after')
})
