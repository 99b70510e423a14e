import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Record<string, string | number | boolean>

/** The span that the running work belongs to. */
export interface ActiveSpan {
  /** Runs work in a span of its own, which ends when the work does. */
  run<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
}

/** Set while a request is traced. Without tracing nobody sets it, and looking costs nanoseconds. */
export const activeSpan = new AsyncLocalStorage<ActiveSpan>()

/** Runs work in a span of the request that it is done for; without tracing, just runs it. */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const span = activeSpan.getStore()
  return span ? span.run(name, attributes, work) : work()
}
