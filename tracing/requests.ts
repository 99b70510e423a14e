import type { Context, Span, SpanContext, Tracer } from '@opentelemetry/api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ActiveSpan, type Attributes, activeSpan } from './active.ts'

/** The package @opentelemetry/api, which is loaded only where traces are on. */
type Api = typeof import('@opentelemetry/api')

/** What makes spans. */
export interface Tracing {
  api: Api
  tracer: Tracer
}

/** A span of a request with its children. */
class TracedSpan implements ActiveSpan {
  readonly #tracing: Tracing
  readonly #context: Context

  constructor(tracing: Tracing, span: Span, parent: Context) {
    this.#tracing = tracing
    this.#context = tracing.api.trace.setSpan(parent, span)
  }

  /** Does work whose spans are children of this one; those of a host's own instrumentation are, too. */
  enter<T>(work: () => T): T {
    return activeSpan.run(this, () => this.#tracing.api.context.with(this.#context, work))
  }

  async run<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const span = this.#tracing.tracer.startSpan(name, { attributes }, this.#context)
    try {
      return await new TracedSpan(this.#tracing, span, this.#context).enter(work)
    } catch (error) {
      this.#fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Without the message, which may quote what the caller has sent. */
  #fail(span: Span, error: unknown): void {
    const { code, name } = error as { code?: unknown; name?: string }
    span.setAttribute('error.type', String(code ?? name))
    span.setStatus({ code: this.#tracing.api.SpanStatusCode.ERROR })
  }
}

/** A request that is traced. */
export interface RequestTrace {
  /** Absent if the trace is not recorded. */
  recorded: TracedSpan | undefined
  /** What the metrics refer to it by, if it is recorded. */
  exemplar: { trace_id: string; span_id: string } | undefined
  traceId: string
  traceparent: string
}

/** Begins the span of a request: in the active span of a host, or after the caller's, or as the first of a trace. */
export function beginTrace(tracing: Tracing, request: FastifyRequest, reply: FastifyReply): RequestTrace {
  const { context, SpanKind, trace } = tracing.api
  const isInHost = trace.getSpan(context.active()) !== undefined
  const parent = isInHost ? context.active() : readParent(tracing, request)
  const { method, routeOptions } = request
  const route = routeOptions.url ?? ''
  const attributes = { 'http.request.method': method, 'http.route': route, 'url.scheme': request.protocol }
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
  const { productOperation, productToken, productKept } = request
  span.setAttribute('http.response.status_code', reply.statusCode)
  if (productToken) span.setAttribute('enduser.id', productToken.sub)
  if (productOperation) {
    const { name, figures } = productOperation
    span.setAttribute('graphql.operation.type', figures.type)
    if (name !== undefined) span.setAttribute('graphql.operation.name', name.slice(0, 100))
    span.setAttribute('product_templates.kept', productKept)
  }
  // On HTTP/2, what was cut counts as finished, too.
  const isSent = reply.raw.writableEnded && reply.raw.writableFinished
  const failure = isSent ? reply.statusCode >= 500 && String(reply.statusCode) : 'aborted'
  if (failure) span.setAttribute('error.type', failure).setStatus({ code: api.SpanStatusCode.ERROR })
  span.end()
}

/** A later version may have more behind the flags, version 00 has not; ff is none. Zeros are no ids. */
const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Parses a `traceparent`, §3.2; undefined if it is malformed: the trace then begins here. */
export function parseTraceparent(header: unknown): SpanContext | undefined {
  const [, version, traceId, spanId, flags, more] =
    typeof header === 'string' ? (form.exec(header) ?? []) : []
  if (!traceId || !spanId || !flags || (version === '00' && more !== undefined)) return undefined
  // Only the flag `sampled` is known.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1 }
}

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`
