// Runs on SQLite only, alone, in test:all only.
/** Traces of a service in a host. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { request } from 'node:http'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { t } from 'tap'
import { accessToken } from '../../../test/support/http/http.ts'
import { service } from '../../../test/support/service/service.ts'

const registered = Symbol.for('opentelemetry.js.api.1')
const globals = globalThis as { [registered]?: Record<string, unknown> }

function recorder() {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  return { provider, spans: () => exporter.getFinishedSpans() }
}

t.test('a host without traces has none, and nothing is registered', async t => {
  const { url } = await service(t)
  const answer = await fetch(`${url}/graphql`, {
    headers: { traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` }
  })
  t.equal(answer.headers.get('traceparent'), null)
  t.equal(globals[registered]?.trace, undefined)
})

t.test('a host gives a tracer', async t => {
  const { provider, spans } = recorder()
  const { url } = await service(t, { tracer: provider.getTracer('host') })
  const token = await accessToken(url)
  await sendLate(`${url}/graphql`, token, { query: '{ products(first: 1) { totalCount } }' })
  await fetch(`${url}/livez`)
  const names = spans().map(({ name }) => name)
  for (const name of ['POST /oauth/token', 'POST /graphql', 'check token', 'hash'])
    t.ok(names.includes(name), name)
  t.notOk(names.some(name => name.includes('livez')))
  t.equal(globals[registered]?.trace, undefined, 'it is not registered')
  t.equal(globals[registered]?.context, undefined)
})

t.test('spans join the trace of a host that has registered a provider', async t => {
  const { provider, spans } = recorder()
  trace.setGlobalTracerProvider(provider)
  context.setGlobalContextManager(contexts())
  t.teardown(() => {
    trace.disable()
    context.disable()
  })
  const { app, url } = await service(t)
  const token = await accessToken(url)
  const inHost = trace.getTracer('host').startSpan('request of the host')
  const response = await context.with(
    trace.setSpan(ROOT_CONTEXT, inHost),
    async () =>
      // Sent when it is awaited.
      await app.inject({
        method: 'POST',
        url: '/graphql',
        headers: { authorization: `Bearer ${token}` },
        payload: { query: '{ __typename }' }
      })
  )
  inHost.end()
  t.equal(response.statusCode, 200)
  const ours = spans().find(({ name }) => name === 'POST /graphql')
  t.equal(ours?.parentSpanContext?.spanId, inHost.spanContext().spanId)
  t.equal(ours?.spanContext().traceId, inHost.spanContext().traceId)

  const { app: silent } = await service(t, { tracer: false })
  const before = spans().length
  await silent.inject({ method: 'GET', url: '/graphql' })
  t.equal(spans().length, before, 'unless it does not want that')
})

/** Sends a request whose body arrives after its head was read: the server has asked for it. */
async function sendLate(url: string, token: string, body: object): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    expect: '100-continue'
  }
  const sent = request(url, { method: 'POST', headers })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  await once(response.resume(), 'end')
}

/** A context manager as hosts register it. */
function contexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (given, work, self, ...more) => storage.run(given, () => work.call(self as never, ...more)),
    bind: (_given, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    }
  }
}
