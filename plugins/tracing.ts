import type { Tracer } from '@opentelemetry/api'
import fp from 'fastify-plugin'
import type { HostTracer } from '../options/host.ts'
import { beginTrace, type RequestTrace, type Tracing } from '../tracing/requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace of the request; null if there is none. */
    productTrace: RequestTrace | null
  }
}

/**
 * Traces requests. By default, the tracer is that of the host's @opentelemetry/api, if a provider is registered
 * there. With `false`, or without a provider, the plugin loads nothing and adds no hook.
 */
export const tracing = fp<{ tracer?: HostTracer | false | undefined }>(
  async (app, { tracer }) => {
    if (!app.hasRequestDecorator('productTrace')) app.decorateRequest('productTrace', null)
    const tracing = await openTracing(tracer)
    if (!tracing) return
    app.addHook('onRequest', (request, reply, done) => {
      if (request.routeOptions.config.productIsProbe) return done()
      const trace = beginTrace(tracing, request, reply)
      request.productTrace = trace
      reply.header('traceparent', trace.traceparent)
      if (trace.recorded) trace.recorded.enter(done)
      else done()
    })
  },
  { name: 'product-tracing', fastify: '5.x' }
)

/** The key under which every version 1 of @opentelemetry/api stores its registrations. */
const registered = Symbol.for('opentelemetry.js.api.1')

async function openTracing(given: HostTracer | false | undefined): Promise<Tracing | undefined> {
  const { trace } = (globalThis as { [registered]?: { trace?: unknown } })[registered] ?? {}
  if (given === false || (given === undefined && trace === undefined)) return undefined
  const api = await import('@opentelemetry/api')
  return { api, tracer: (given as Tracer | undefined) ?? api.trace.getTracer('product-templates') }
}
