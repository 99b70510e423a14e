// Runs alone, in test:all only.
/** The command sends traces to a collector. */
import { t } from 'tap'
import { demo } from '../../../seeds/credentials.ts'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { onlyOn } from '../../../test/support/database/only-on.ts'
import { accessToken, basic, graphqlRequest } from '../../../test/support/http/http.ts'
import { run, serve } from '../../../test/support/service/process.ts'
import { startCollector, toObject } from './collector.ts'

const credentials = { username: demo.email, password: demo.password }
const authorization = basic(demo.clientId, demo.clientSecret)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${spanId}-01`
const filtered = {
  query: 'query Filtered { products(first: 2, where: { name: { contains: "a" } }) { edges { node { id } } } }'
}

/** Runs on a worker thread. */
const large = { query: 'query Large { searchSuggestion(search: "jakets winterrs") }' }

t.test('a request of a traced client is one connected trace', async t => {
  const collector = await startCollector(t)
  const service = await serve(t, ['--demo'], {
    DATABASE_URL: await migratedUrl(t),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // A busy machine may take longer than the usual ten seconds to start a worker thread.
    GRAPHQL_TIMEOUT: '120',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test'
  })
  const { url } = service
  const token = await accessToken(url, credentials, { authorization, traceparent })
  const answer = await graphqlRequest(url, token, filtered, { traceparent, tracestate: 'vendor=1' })
  t.match(await answer.json(), { data: { products: { edges: [{}, {}] } } })
  t.match(answer.headers.get('traceparent'), new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`))
  const unsampled = await graphqlRequest(url, token, filtered, {
    traceparent: `00-${'a'.repeat(32)}-${spanId}-00`
  })
  t.match(unsampled.headers.get('traceparent'), /^00-a{32}-[\da-f]{16}-00$/)
  t.equal((await graphqlRequest(url, token, large, { traceparent })).status, 200)
  await graphqlRequest(url, token, { query: '{ __typename }' })
  await fetch(`${url}/livez`)
  const accept = 'application/openmetrics-text; version=1.0.0'
  const metrics = await (await fetch(`${url}/metrics`, { headers: { accept } })).text()
  t.match(
    metrics,
    /_bucket\{le="[^"]*",route="\/graphql",method="POST"\} .* # \{trace_id="[\da-f]{32}",span_id="/
  )

  service.child.kill('SIGTERM')
  const { code, stdout } = await service.ended
  t.equal(code, 0, 'what was not sent yet is sent')
  t.match(collector.resource(), {
    'service.name': 'shop',
    'service.version': /^\d/,
    'deployment.environment.name': 'test'
  })
  const spans = collector.spans()
  const traced = spans.filter(span => span.traceId === traceId)
  const requests = traced.filter(({ kind }) => kind === 2)
  t.same(requests.map(({ name }) => name).sort(), ['POST /graphql', 'POST /graphql', 'POST /oauth/token'])
  for (const { parentSpanId } of requests) t.equal(parentSpanId, spanId, 'below the span of the client')
  const own = new Set(traced.map(span => span.spanId))
  const inner = traced.filter(({ kind }) => kind !== 2)
  t.same(
    inner.filter(({ parentSpanId }) => !own.has(parentSpanId ?? '')),
    [],
    'all others are below those'
  )
  const attributesOf = (span: (typeof spans)[number] | undefined) => toObject(span?.attributes ?? [])
  const byOperation = (name: string) =>
    requests.find(span => attributesOf(span)['graphql.operation.name'] === name)
  const onThread = traced.filter(({ name }) => name === 'worker thread')
  t.same(
    onThread.map(({ parentSpanId }) => parentSpanId),
    [byOperation('Large')?.spanId]
  )
  const cost = attributesOf(byOperation('Large'))
  t.ok(Number(cost['product_templates.cost.requested']) > 1000)
  t.ok(Number(cost['product_templates.cost.actual']) > 0)
  const below = (name: string) => {
    const found = new Set([requests.find(request => request.name === name)?.spanId])
    for (let size = 0; size < found.size; ) {
      size = found.size
      for (const span of traced) if (found.has(span.parentSpanId)) found.add(span.spanId)
    }
    return traced.filter(span => found.has(span.spanId))
  }
  const names = (name: string) => below(name).map(({ name }) => name)
  t.ok(names('POST /oauth/token').includes('hash'))
  t.ok(names('POST /oauth/token').includes('SELECT product_user'))
  t.ok(names('POST /graphql').includes('check token'))
  const statements = below('POST /graphql').filter(({ name }) => name.startsWith('SELECT'))
  t.ok(statements.length > 1)
  t.match(toObject(statements[0]?.attributes ?? []), {
    'db.system.name': /^(sqlite|postgresql)$/,
    'db.operation.name': 'SELECT',
    'db.query.text': /^select/i
  })
  t.match(toObject(requests.find(({ name }) => name === 'POST /graphql')?.attributes ?? []), {
    'http.route': '/graphql',
    'http.response.status_code': 200,
    'graphql.operation.name': 'Filtered',
    'graphql.operation.type': 'query'
  })
  t.same(
    spans.filter(span => span.traceId.startsWith('aaaa')),
    [],
    'what the client does not record is not recorded'
  )
  t.equal(
    spans.filter(({ kind, parentSpanId }) => kind === 2 && !parentSpanId).length,
    1,
    'others begin a trace'
  )
  t.same(
    spans.filter(({ name }) => /livez|metrics/.test(name)),
    []
  )
  t.match(stdout, new RegExp(`"traceId":"${traceId}".*"request completed"`))
  const sent = collector.requests.map(({ body }) => body.toString()).join()
  for (const secret of [demo.password, demo.clientSecret, token, demo.email]) t.notMatch(sent, secret)
})

onlyOn(
  'sqlite',
  'without other settings it is protobuf, and a collector that refuses is noticed',
  async t => {
    const collector = await startCollector(t, 400)
    const service = await serve(t, ['--demo'], {
      DATABASE_URL: await migratedUrl(t),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom`,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_TRACES_SAMPLER: 'sometimes'
    })
    await service.line('stdout', /OTEL_TRACES_SAMPLER is unknown and ignored: sometimes/)
    await fetch(`${service.url}/graphql`, { headers: { traceparent } })
    await service.line('stdout', /no collector accepted the traces/)
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    t.match(metrics, /^product_templates_trace_exports_failed_total [1-9]/m)
    const [first] = collector.requests
    t.match(first, { path: '/custom', type: 'application/x-protobuf' })
    t.ok(first?.body.includes(Buffer.from(traceId, 'hex')))
    t.ok(first?.body.includes('GET /graphql'))
    service.child.kill('SIGTERM')
    t.equal((await service.ended).code, 0)
  }
)

onlyOn('sqlite', 'impossible settings end the start and say what to do', async t => {
  const env = {
    DATABASE_URL: await migratedUrl(t),
    PORT: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1'
  }
  const NODE_OPTIONS = `--import=${new URL('without-packages.ts', import.meta.url).pathname}`
  const missing = await run(t, ['serve'], { ...env, NODE_OPTIONS })
  t.equal(missing.code, 2)
  t.match(
    missing.stderr,
    /npm install @opentelemetry\/api @opentelemetry\/sdk-trace .*exporter-trace-otlp-proto/
  )
  const grpc = await run(t, ['serve'], { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })
  t.equal(grpc.code, 2)
  t.match(grpc.stderr, /OTEL_EXPORTER_OTLP_PROTOCOL must be http\/protobuf or http\/json, not "grpc"/)
})
