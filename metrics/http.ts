import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Collection } from './collection.ts'
import { type Exemplar, Histogram } from './histogram.ts'

/** Returns what identifies the trace of a request; undefined if it is not recorded. */
export type FindTrace = (request: FastifyRequest) => Exemplar['labelSet'] | undefined

/** The requests to one route, by method and status. */
export class RouteFigures {
  readonly #methods = new Map<string, MethodFigures>()
  /** Most requests to a route have the same method. */
  #last: MethodFigures | undefined
  bytes = 0

  /** Counts a response that was sent. */
  count(request: FastifyRequest, reply: FastifyReply, trace: Exemplar['labelSet'] | undefined): void {
    const { method } = request
    const figures = this.#last?.method === method ? this.#last : this.#find(method)
    figures.count(reply.statusCode)
    figures.durations.observe(reply.elapsedTime / 1000, trace)
    const length = reply.getHeader('content-length')
    if (length !== undefined && method !== 'HEAD') this.bytes += Number(length)
  }

  collect(to: Collection, route: string): void {
    for (const { method, statuses, durations } of this.#methods.values()) {
      for (const [status, count] of statuses) to.add('http_requests_total', count, { route, method, status })
      to.addHistogram('http_request_duration_seconds', durations, { route, method })
    }
    to.add('http_response_bytes_total', this.bytes, { route })
  }

  #find(method: string): MethodFigures {
    const figures = this.#methods.get(method) ?? new MethodFigures(method)
    this.#methods.set(method, figures)
    this.#last = figures
    return figures
  }
}

class MethodFigures {
  readonly method: string
  readonly statuses = new Map<number, number>()
  readonly durations = new Histogram()

  constructor(method: string) {
    this.method = method
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}
