// Runs on SQLite only, in test:all only.
/** Several worker processes behave as one service. */
import type { Agent } from 'node:http'
import { join } from 'node:path'
import { t } from 'tap'
import { beginRebuild } from '../../db/templates/template-index/rebuild.ts'
import { openDatabase } from '../../features/database.ts'
import { parseMetrics } from '../metrics/scrape.ts'
import { directory, migratedUrl } from '../support/database/database.ts'
import { onlyOn } from '../support/database/only-on.ts'
import { freePort } from '../support/postgres/postgres.ts'
import { run, serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import { listeningWorker, login, openTwo, send, serveByTwo, whoLogged } from './worker-log.ts'

/** Sends an operation on a connection of the agent; returns its data. */
async function ask(url: string, token: string, agent: Agent, query: string) {
  const { status, body } = await send(`${url}/graphql`, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query })
  })
  return status === 200 && !body.errors ? body.data : { status, body }
}

t.test('two workers answer on one port as one service', async t => {
  const service = await serveByTwo(t, { DATABASE_URL: await migratedUrl(t) })
  const { url, child, ended } = service
  const workers = service.workers.toSorted((one, other) => one - other)
  const agents = await openTwo(t, service)

  // A token issued by one is valid for both.
  const tokens = []
  for (const agent of agents)
    tokens.push((await send(`${url}/oauth/token`, { ...login, agent })).body.access_token)
  for (const token of tokens)
    for (const agent of agents)
      t.match(await ask(url, token, agent, '{ __typename }'), { __typename: 'Query' })

  // What one has written, both answer with from then on, whatever they have kept.
  const { allProducts } = await ask(url, tokens[0], agents[0], '{ allProducts(limit: 1) { id name } }')
  const { id } = allProducts[0]
  for (let turn = 0; turn < 20; turn++) {
    const [writer, reader] = turn % 2 === 0 ? agents : [agents[1], agents[0]]
    const name = `written in turn ${turn}`
    const change = `mutation { updateProduct(id: ${id}, input: { name: "${name}" }) { userErrors { message } } }`
    t.same(await ask(url, tokens[0], writer, change), { updateProduct: { userErrors: [] } })
    for (const agent of [reader, writer, reader])
      t.same(await ask(url, tokens[1], agent, `{ product(id: ${id}) { name } }`), { product: { name } })
  }

  // What one has revoked, both refuse.
  const revoke = { ...login, agent: agents[0], body: `token=${tokens[1]}` }
  t.equal((await send(`${url}/oauth/revoke`, revoke)).status, 200)
  for (const agent of agents) t.equal((await ask(url, tokens[1], agent, '{ __typename }')).status, 401)

  child.kill('SIGTERM')
  const { code, stdout, stderr } = await ended
  t.equal(code, 0)
  t.same(whoLogged(stdout, 'token issued'), workers, 'both have issued one')
  t.same(whoLogged(stdout, `Server listening at ${url}`), workers, 'both name the port')
  t.equal(stderr.match(/Demo client/g)?.length, 1, 'one prepares the database')
})

t.test('the limit per address counts the requests to all workers, in the database', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const service = await serveByTwo(t, { DATABASE_URL, ADDRESS_LIMIT: '5' })
  const db = await openDatabase(DATABASE_URL)
  t.teardown(() => db.destroy())
  const [one, two] = await openTwo(t, service)
  const count = async (agent: Agent) => {
    const headers = { 'content-length': 0 }
    const sent = await send(`${service.url}/oauth/token`, { agent, method: 'POST', headers })
    const seconds = Number(sent.headers['retry-after'])
    t.ok(sent.status === 401 || (seconds > 0 && seconds <= 60), `${seconds} s`)
    return sent.status
  }
  for (let turn = 0; turn < 3; turn++) t.equal(await count(one), 401)
  await until(async () => {
    const rows = await db.selectFrom('product_attempt').selectAll().execute()
    return rows.some(row => row.subject.startsWith('address:') && row.count === 3)
  })
  t.same([await count(two), await count(two), await count(two)], [401, 401, 429])
})

t.test('maintenance continues when the worker that did it has ended', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const service = await serveByTwo(t, { DATABASE_URL })
  const db = await openDatabase(DATABASE_URL)
  t.teardown(() => db.destroy())
  const rebuilt = /"pid":(?<pid>\d+),.*the index of templates is complete/
  await beginRebuild(db)
  const { pid: first } = JSON.parse(await service.line('stdout', rebuilt))
  t.ok(service.workers.includes(first))
  process.kill(first, 'SIGKILL')
  await listeningWorker(service, service.workers)
  await beginRebuild(db)
  await service.line('stdout', new RegExp(`"pid":(?!${first}\\b)\\d+,.*the index of templates is complete`))
})

onlyOn('sqlite', 'each worker has probes and metrics of its own, on ports that count up', async t => {
  const port = await freePort()
  const env = { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: String(port) }
  const service = await serveByTwo(t, env)
  const [one] = await openTwo(t, service)
  const scrape = async (port: number) =>
    parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).sum('http_requests_total', {
      route: '/startupz'
    })
  for (let turn = 0; turn < 3; turn++) await send(`${service.url}/startupz`, { agent: one })
  t.same([await scrape(port), await scrape(port + 1)], [3, 0])
  t.equal((await run(t, ['health'], { HEALTH_PORT: String(port + 1) })).code, 0)

  process.kill(service.workers[1], 'SIGKILL')
  await listeningWorker(service, service.workers)
  await until(async () => (await run(t, ['health'], { HEALTH_PORT: String(port + 1) })).code === 0)
})

onlyOn('sqlite', 'REUSE_PORT shares a port with another process', async t => {
  const DATABASE_URL = await migratedUrl(t)
  const PORT = String(await freePort())
  const one = await serve(t, [], { DATABASE_URL, PORT, REUSE_PORT: 'true' })
  const two = await serve(t, [], { DATABASE_URL, PORT, REUSE_PORT: 'true' })
  t.equal(one.url, two.url)
  const alone = await run(t, ['serve'], { DATABASE_URL, PORT })
  t.match(alone.stderr, /^product-templates: cannot listen: .*EADDRINUSE.*\n$/)
  one.child.kill('SIGTERM')
  t.equal((await one.ended).code, 0)
  for (let turn = 0; turn < 8; turn++) t.equal((await send(`${two.url}/readyz`)).status, 200)
})

onlyOn('sqlite', 'each worker needs a port for its probes', async t => {
  const env = { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: '65534', WORKERS: '3' }
  const { code, stderr } = await run(t, ['serve'], env)
  t.equal(code, 2)
  t.match(stderr, /^product-templates: PTS_BAD_OPTION: HEALTH_PORT must be lower: .*\n$/)
})

onlyOn('sqlite', 'a Unix domain socket is for one process', async t => {
  const SOCKET_PATH = join(await directory(t), 'service.sock')
  for (const env of [{ WORKERS: '2' }, { REUSE_PORT: 'true' }]) {
    const { code, stderr } = await run(t, ['serve'], {
      DATABASE_URL: await migratedUrl(t),
      SOCKET_PATH,
      ...env
    })
    t.equal(code, 2)
    t.match(stderr, /^product-templates: PTS_BAD_OPTION: SOCKET_PATH is for a single process: .*\n$/)
  }
})
