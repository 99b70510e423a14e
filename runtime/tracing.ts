import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Record<string, string | number | boolean>

/** Whether the work is a request to a server. */
export type SpanKind = 'client' | 'internal'

/** The span of the current work. */
export interface ActiveSpan {
  /** Runs work in a child span, which ends with the work. */
  run<T>(name: string, attributes: Attributes, work: () => Promise<T>, kind?: SpanKind): Promise<T>
}

export interface RequestTrace {
  traceId: string
  /** The labels by which metrics refer to the trace; undefined if it is not recorded. */
  exemplar: { trace_id: string; span_id: string } | undefined
}

/** The span of the current work, while its request is traced. Without tracing, reading it costs nanoseconds. */
export const activeSpan = new AsyncLocalStorage<ActiveSpan>()

/** Runs work in a span of its request. Without tracing, just runs it. */
export const inSpan: ActiveSpan['run'] = (name, attributes, work, kind) =>
  activeSpan.getStore()?.run(name, attributes, work, kind) ?? work()
