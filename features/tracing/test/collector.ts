/** A collector that takes traces by OTLP over HTTP. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A span in the JSON of OTLP. */
interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

interface Collector {
  url: string
  requests: { path: string; type: string; body: Buffer }[]
  /** The spans that came as JSON, and the attributes of the service. */
  spans(): ReceivedSpan[]
  resource(): Record<string, unknown>
}

/** Starts a collector that answers with this status. */
export async function startCollector(t: Test, status = 200): Promise<Collector> {
  const requests: Collector['requests'] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    requests.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', body })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const resources = () => requests.flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () =>
      resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: { spans: unknown }) => spans)),
    resource: () => toObject(resources()[0].resource.attributes)
  }
}

export const toObject = (attributes: ReceivedSpan['attributes']): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
