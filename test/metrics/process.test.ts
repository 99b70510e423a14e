// Runs on SQLite only, in test:all only.
/** The metrics, request ids and access lines of the command. */
import { t } from 'tap'
import { demo } from '../../seeds/credentials.ts'
import { databaseUrl, migratedUrl } from '../support/database/database.ts'
import { accessToken, basic, query } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import { scrape } from './scrape.ts'

const credentials = { username: demo.email, password: demo.password }
const authorization = basic(demo.clientId, demo.clientSecret)

t.test('the command serves its metrics, and writes who asked for what', async t => {
  const NODE_OPTIONS = `--import=${new URL('../cli/loaded-packages.ts', import.meta.url).pathname}`
  const service = await serve(t, ['--demo'], { DATABASE_URL: await databaseUrl(t), NODE_OPTIONS })
  const { url } = service
  const token = await accessToken(url, credentials, { authorization })
  for (let count = 0; count < 3; count++) await query(url, token, 'query Ids { allProducts { id } }')
  await fetch(`${url}/nowhere?secret=1`)
  await fetch(`${url}/nowhere/else`, { method: 'POST' })

  const ids = async (headers: Record<string, string>) =>
    (await fetch(`${url}/livez`, { headers })).headers.get('x-request-id') ?? ''
  for (const id of ['a', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'Root=1-67891233-abc:0/x+y~z._=', 'x'.repeat(128)])
    t.equal(await ids({ 'x-request-id': id }), id)
  const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
  for (const id of ['', 'a b', 'a"b', 'x'.repeat(129), 'a, b', '<a>'])
    t.match(await ids({ 'x-request-id': id }), uuid)
  t.not(await ids({}), await ids({}))

  const { sum, text } = await scrape(`${url}/metrics`)
  t.equal(sum('http_requests_total', { route: 'unknown', status: '404' }), 2)
  t.equal(sum('http_requests_total', { route: '/livez' }), 12)
  t.equal(sum('responses_cached_hits_total'), 1)
  t.equal(sum('store_templates'), 12)
  t.ok(sum('process_resident_memory_bytes') > 2 ** 25)
  t.ok(sum('process_cpu_seconds_total', { mode: 'user' }) > 0)
  // Sooner or later garbage is collected.
  await until(async () => (await scrape(`${url}/metrics`)).sum('gc_duration_seconds') > 0)
  t.ok(sum('http_connections') > 0)
  t.match(text, /^product_templates_event_loop_delay_seconds\{percentile="99"\} \d/m)
  t.match(text, /^product_templates_build_info\{version="\d+\.\d+\.\d+",node="v\d+/m)
  t.ok(sum('store_file_bytes', { file: 'database' }) > 0)
  const open = await scrape(`${url}/metrics`, {
    accept: 'application/openmetrics-text; version=1.0.0, text/plain;q=0.5'
  })
  t.match(open.text, /^product_templates_logins_total\{outcome="succeeded"\} 1$/m)
  t.match(open.text, /^# TYPE product_templates_logins counter$/m)
  t.match(open.text, /\n# EOF\n$/)

  service.child.kill('SIGTERM')
  const { code, stdout, stderr } = await service.ended
  t.equal(code, 0)
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const { jti, sub } = lines.find(({ msg }) => msg === 'token issued')
  const completed = lines.filter(({ msg }) => msg === 'request completed')
  const who = { clientId: demo.clientId, sub, jti }
  const operations = completed.filter(({ req }) => req.path === '/graphql')
  t.same(
    operations.map(({ cached = false }) => cached),
    [false, false, true]
  )
  for (const line of operations) t.match(line, { ...who, operation: 'Ids', statusCode: 200, bytes: Number })
  t.match(operations[0].cost, { requested: Number, actual: Number })
  t.match(
    completed.find(({ req }) => req.path === '/oauth/token'),
    { clientId: demo.clientId, statusCode: 200 }
  )
  t.notMatch(stdout, token)
  t.notMatch(stdout, '"path":"/metrics"', 'scrapes are no news')
  const loaded: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('[')))
  t.ok(loaded.includes('prom-client'))
  t.same(
    loaded.filter(name => name.startsWith('@opentelemetry/') && name !== '@opentelemetry/api'),
    [],
    'nothing of tracing is loaded when it is off, but for what prom-client loads'
  )
})

t.test('in production the metrics are on the port of the probes alone, unless asked for', async t => {
  const NODE_ENV = 'production'
  const [hidden, asked, apart] = await Promise.all([
    serve(t, [], { DATABASE_URL: await migratedUrl(t), NODE_ENV }),
    serve(t, [], { DATABASE_URL: await migratedUrl(t), NODE_ENV, METRICS: 'true' }),
    serve(t, [], { DATABASE_URL: await migratedUrl(t), NODE_ENV, HEALTH_PORT: '0' })
  ])
  t.equal((await fetch(`${hidden.url}/metrics`)).status, 404)
  t.equal((await fetch(`${asked.url}/metrics`)).status, 200)
  t.equal((await fetch(`${apart.url}/metrics`)).status, 404)
  const { msg } = JSON.parse(await apart.line('stdout', /Probes at/))
  t.equal((await fetch(`${msg.replace('Probes at ', '')}/metrics`)).status, 200)
})

t.test('metrics can be switched off, and move to the port of the probes', async t => {
  const off = await serve(t, [], { DATABASE_URL: await migratedUrl(t), METRICS: 'false' })
  t.equal((await fetch(`${off.url}/metrics`)).status, 404)
  const moved = await serve(t, [], { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: '0' })
  t.equal((await fetch(`${moved.url}/metrics`)).status, 404)
  const { msg } = JSON.parse(await moved.line('stdout', /[Pp]robes.*http/))
  const health = /http:\S+/.exec(msg)?.[0] ?? ''
  const { sum } = await scrape(`${health}/metrics`)
  t.equal(sum('http_requests_total', { route: 'unknown' }), 1)
  t.match(
    await (await fetch(`${health}/metrics`, { headers: { accept: 'application/openmetrics-text' } })).text(),
    /# EOF/
  )
})
