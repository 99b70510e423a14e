// Runs on PostgreSQL only, alone, in test:all only.
/** A PostgreSQL of the test's own, with its default settings, that dies under load and comes back. */
import pg from 'pg'
import { type Test, t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { findCorruption, onServer } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest, tokenRequest } from '../support/http/http.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { run, serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'

const env = {
  PASSWORD_MEMORY: '7168',
  DATABASE_QUERY_TIMEOUT: '6',
  ADDRESS_LIMIT: '0'
}
const demoUser = { username: demo.email, password: demo.password }
const demoClient = { authorization: basic(demo.clientId, demo.clientSecret) }

/** Reads and logs in without pause until it is told to stop; counts the answers. */
function load(url: string, token: string) {
  const counts: Record<string, number> = {}
  let stopped = false
  const one = async (request: () => Promise<Response>) => {
    while (!stopped) {
      const answer = await request().then(
        async response => ({ status: String(response.status), text: await response.text() }),
        error => ({ status: `no answer: ${error.cause ?? error}`, text: '' })
      )
      const { status } = answer
      // An answer that says 200 must be one.
      const name = status === '200' && /"errors"/.test(answer.text) ? '200 with errors' : status
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  const read = () => graphqlRequest(url, token, { query: '{ allProducts { id data } }' })
  const workers = [read, read, read, () => tokenRequest(url, demoUser, demoClient)].map(one)
  return {
    counts,
    async stop() {
      stopped = true
      await Promise.all(workers)
      return { counts }
    }
  }
}

async function ready(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).status === 200
}

async function serveOwn(t: Test) {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const service = await serve(t, ['--demo'], { DATABASE_URL: server.url, ...env })
  return { server, url: service.url, token: await accessToken(service.url, demoUser, demoClient) }
}

// Of all tests but the last one: each leaves the server running.
const { server, url, token } = await serveOwn(t)

t.test(
  'a mutation whose other field has changed something is not 503: its client would repeat that',
  async t => {
    const client = new pg.Client(server.url)
    await client.connect()
    t.teardown(() => client.end())
    const { rows } = await client.query('select id from product_template limit 2')
    const [free, locked] = rows.map(({ id }) => id)
    await client.query('begin')
    await client.query('select 1 from product_template where id = $1 for update', [locked])
    const rename = (id: number) => `updateProduct(id: ${id}, input: { name: "renamed" }) { product { name } }`
    const mutate = (query: string) => graphqlRequest(url, token, { query: `mutation { ${query} }` })
    const partial = await mutate(`one: ${rename(free)} other: ${rename(locked)}`)
    t.equal(partial.status, 200)
    t.match(await partial.json(), {
      data: { one: { product: { name: 'renamed' } }, other: null },
      errors: [{ path: ['other'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }]
    })
    const refused = await mutate(rename(locked))
    t.equal(refused.status, 503)
    t.ok(Number(refused.headers.get('retry-after')) > 0)
    await client.query('rollback')
    t.equal((await mutate(rename(locked))).status, 200)
  }
)

t.test(
  'under load, a killed and restarted server leads only to 200 and 503; no restart is needed',
  async t => {
    const running = load(url, token)
    for (let turn = 1; turn <= 3; turn++) {
      const before = running.counts['200'] ?? 0
      await until(() => (running.counts['200'] ?? 0) > before + 50)
      const refused = running.counts['503'] ?? 0
      await server.kill()
      await until(() => (running.counts['503'] ?? 0) > refused + 50)
      t.equal((await fetch(`${url}/livez`)).status, 200)
      await server.start()
      const started = performance.now()
      await until(() => ready(url))
      t.comment(`ready ${Math.round(performance.now() - started)} ms after PostgreSQL was`)
    }
    const { counts } = await running.stop()
    t.comment(`answers: ${JSON.stringify(counts)}`)
    t.same(Object.keys(counts).sort(), ['200', '503'])
    t.same(await findCorruption(server.url), [])
  }
)

t.test('an instance started before the server waits for it', async t => {
  await server.kill()
  const second = serve(t, [], { DATABASE_URL: server.url, ...env })
  await until(async () => !(await ready(url)))
  await server.start()
  const { url: late } = await second
  await until(() => ready(late))
})

t.test('a command that cannot reach it says so and changes nothing', async t => {
  await server.kill()
  const words = ['user', 'disable', demo.email]
  const { code, stderr } = await run(t, words, { DATABASE_URL: server.url, DATABASE_START_TIMEOUT: '0' })
  t.equal(code, 1)
  t.match(stderr, /^product-templates: PTS_DATABASE_UNREACHABLE: /)
  await server.start()
})

t.test('while the server hangs, no request for metadata waits for all those before it', async t => {
  const { server, url } = await serveOwn(t)
  server.signal('SIGSTOP')
  t.teardown(() => server.signal('SIGCONT'))
  const count = 200
  // One after another, each would wait for a second or more.
  const ask = () => fetch(`${url}/metadata/1.json`, { signal: AbortSignal.timeout(500 * count) })
  const answers = await Promise.all(Array.from({ length: count }, ask))
  t.ok(answers.every(({ status, headers }) => status === 503 && headers.has('retry-after')))
})

t.test('a server that becomes a standby answers nothing until it is promoted', async t => {
  const { server, url, token } = await serveOwn(t)
  const query = 'mutation { updateProduct(id: 1, input: { name: "renamed" }) { product { name } } }'
  const write = async () => (await graphqlRequest(url, token, { query })).status
  const { rows } = await onServer(server.url, 'show data_directory')
  await onServer(server.url, `copy (select) to '${rows[0].data_directory}/standby.signal'`)
  await server.kill()
  // A standby counts as started when it is promoted.
  const started = server.start()
  const read = () => graphqlRequest(url, token, { query: '{ allProducts { id } }' })
  await until(async () => (await onServer(server.url, 'select 1').catch(() => undefined)) !== undefined)
  t.equal((await read()).status, 503)
  t.equal(await ready(url), false)
  t.equal(await write(), 503)
  await onServer(server.url, 'select pg_promote()')
  await started
  await until(() => ready(url))
  t.equal(await write(), 200)
})
