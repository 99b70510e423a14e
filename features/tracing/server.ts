import type { Context, Span, SpanContext, Tracer } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { HostTracer } from '../../options/host.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import {
  type ActiveSpan,
  type Attributes,
  activeSpan,
  type RequestTrace,
  type SpanKind
} from '../../runtime/tracing.ts'

/**
 * Traces requests. By default, the tracer is that of the host's @opentelemetry/api, if a provider is registered
 * there. With `false`, or without a provider, the plugin loads nothing and adds no hook.
 */
const tracing = fp<{ tracer?: HostTracer | false | undefined }>(
  async (app, { tracer }) => {
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
  { name: 'product-tracing', fastify: '5.x', dependencies: ['product-metrics'] }
)

export const server: ServerAddition = { plugin: tracing }

/** The key under which every version 1 of @opentelemetry/api stores its registrations. */
const registered = Symbol.for('opentelemetry.js.api.1')

async function openTracing(given: HostTracer | false | undefined): Promise<Tracing | undefined> {
  const { trace } = (globalThis as { [registered]?: { trace?: unknown } })[registered] ?? {}
  if (given === false || (given === undefined && trace === undefined)) return undefined
  const api = await import('@opentelemetry/api')
  return { api, tracer: (given as Tracer | undefined) ?? api.trace.getTracer('product-templates') }
}

/** The package @opentelemetry/api, which is loaded only if tracing is on. */
type Api = typeof import('@opentelemetry/api')

/** The objects that make spans. */
interface Tracing {
  api: Api
  tracer: Tracer
}

/** A span that work can run in. */
class TracedSpan implements ActiveSpan {
  readonly #tracing: Tracing
  readonly #context: Context

  constructor(tracing: Tracing, span: Span, parent: Context) {
    this.#tracing = tracing
    this.#context = tracing.api.trace.setSpan(parent, span)
  }

  /** Runs work whose spans are children of this span, including the spans of a host's own instrumentation. */
  enter<T>(work: () => T): T {
    return activeSpan.run(this, () => this.#tracing.api.context.with(this.#context, work))
  }

  async run<T>(
    name: string,
    attributes: Attributes,
    work: () => Promise<T>,
    kind: SpanKind = 'internal'
  ): Promise<T> {
    const { CLIENT, INTERNAL } = this.#tracing.api.SpanKind
    const options = { attributes, kind: kind === 'client' ? CLIENT : INTERNAL }
    const span = this.#tracing.tracer.startSpan(name, options, this.#context)
    try {
      return await new TracedSpan(this.#tracing, span, this.#context).enter(work)
    } catch (error) {
      this.#fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Marks a span as failed, without the message, which may quote the request. */
  #fail(span: Span, error: unknown): void {
    const { code, name } = Object(error) as { code?: unknown; name?: string }
    span.setAttribute('error.type', String(code ?? name))
    span.setStatus({ code: this.#tracing.api.SpanStatusCode.ERROR })
  }
}

/** Characters of a path in a trace. */
const maxPath = 200

interface BegunTrace extends RequestTrace {
  /** The span; undefined if the trace is not recorded. */
  recorded: TracedSpan | undefined
  traceparent: string
}

/** Begins the span of a request. The parent is a host's active span, otherwise the caller's span, if any. */
function beginTrace(tracing: Tracing, request: FastifyRequest, reply: FastifyReply): BegunTrace {
  const { context, SpanKind, trace } = tracing.api
  const isInHost = trace.getSpan(context.active()) !== undefined
  const parent = isInHost ? context.active() : readParent(tracing, request)
  const { method, routeOptions } = request
  const route = routeOptions.url ?? ''
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'url.scheme': request.protocol,
    // Without the query, which may have secrets.
    'url.path': request.url.replace(/\?.*/s, '').slice(0, maxPath)
  }
  const kind = isInHost ? SpanKind.INTERNAL : SpanKind.SERVER
  const span = tracing.tracer.startSpan(`${method} ${route}`, { kind, attributes }, parent)
  const own = span.spanContext()
  const isRecorded = span.isRecording()
  if (isRecorded) reply.raw.once('close', () => endSpan(tracing, span, request, reply))
  return {
    recorded: isRecorded ? new TracedSpan(tracing, span, parent) : undefined,
    exemplar: isRecorded ? { trace_id: own.traceId, span_id: own.spanId } : undefined,
    traceId: own.traceId,
    traceparent: formatTraceparent(own)
  }
}

function readParent({ api }: Tracing, { headers }: FastifyRequest): Context {
  const { createTraceState, ROOT_CONTEXT, trace } = api
  const caller = parseTraceparent(headers.traceparent)
  if (!caller) return ROOT_CONTEXT
  const { tracestate } = headers
  const traceState = tracestate === undefined ? {} : { traceState: createTraceState(String(tracestate)) }
  return trace.setSpanContext(ROOT_CONTEXT, { ...caller, ...traceState, isRemote: true })
}

function endSpan({ api }: Tracing, span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { productGraphql: graphql, productToken } = request
  span.setAttribute('http.response.status_code', reply.statusCode)
  if (productToken) span.setAttribute('enduser.id', productToken.sub)
  if (graphql?.namedOperation) {
    const { name, counters } = graphql.namedOperation
    span.setAttribute('graphql.operation.type', counters.type)
    if (name !== undefined) span.setAttribute('graphql.operation.name', name.slice(0, 100))
    span.setAttribute('product_templates.cached', graphql.isCached)
    for (const [name, value] of Object.entries(graphql.cost ?? {}))
      span.setAttribute(`product_templates.cost.${name}`, value)
  }
  // In HTTP/2, `writableFinished` is also true for a response that was cut off. The response of an upgrade never ends.
  const isSent = reply.statusCode === 101 || (reply.raw.writableEnded && reply.raw.writableFinished)
  const failure = isSent ? reply.statusCode >= 500 && String(reply.statusCode) : 'aborted'
  if (failure) span.setAttribute('error.type', failure).setStatus({ code: api.SpanStatusCode.ERROR })
  span.end()
}

/** Later versions may have more text after the flags. The version ff and ids of zeros are invalid. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Parses a `traceparent` header, W3C Trace Context §3.2; undefined if it is malformed, so that a new trace begins. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] =
    typeof header === 'string' ? (form.exec(header) ?? []) : []
  if (!traceId || !spanId || !flags || (version === '00' && more !== undefined)) return undefined
  // Keeps only the flag `sampled`. Others are unknown.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`
