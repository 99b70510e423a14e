import type { Context, Span, Tracer } from '@opentelemetry/api'
import { type ActiveSpan, type Attributes, activeSpan } from './active.ts'

/** The package @opentelemetry/api, which is loaded only where traces are on. */
export type Api = typeof import('@opentelemetry/api')

/** A span of a request with its children. */
export class TracedSpan implements ActiveSpan {
  readonly span: Span
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #context: Context

  constructor(api: Api, tracer: Tracer, { span, parent }: { span: Span; parent: Context }) {
    this.span = span
    this.#api = api
    this.#tracer = tracer
    this.#context = api.trace.setSpan(parent, span)
  }

  /** Does work whose spans are children of this one; those of a host's own instrumentation are, too. */
  enter<T>(work: () => T): T {
    return activeSpan.run(this, () => this.#api.context.with(this.#context, work))
  }

  async run<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
    const span = this.#tracer.startSpan(name, { attributes }, this.#context)
    try {
      return await new TracedSpan(this.#api, this.#tracer, { span, parent: this.#context }).enter(work)
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
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
  }
}
