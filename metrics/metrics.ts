import { Collection, type Metric } from './collection.ts'
import { Counter } from './counter.ts'
import { type Formatted, formatMetrics } from './format.ts'
import { RouteFigures } from './http.ts'
import { OperationsByName } from './operations.ts'

/** Adds values to a collection. What it rejects with is left out of the scrape. */
export type Collect = (to: Collection) => void | Promise<void>

/** How logins end. */
export const loginOutcomes = ['succeeded', 'refused', 'locked', 'busy', 'failed'] as const
export type LoginOutcome = (typeof loginOutcomes)[number]

/**
 * The figures of one service. A host that wants them without an endpoint creates it, registers the service with it, and
 * calls `text()`. Nothing of it is global, and it holds no timer.
 */
export class Metrics {
  readonly operations = new OperationsByName()
  readonly issued = new Counter()
  readonly logins = new Counter<LoginOutcome>([...loginOutcomes])
  readonly graphqlErrors = new Counter()
  /** By code and reason, with a space between them. An alert counts on each reuse of a token, also on the first. */
  readonly errors = new Counter<`${string} ${string}`>(['invalid_grant token_reused'])
  readonly #routes = new Map<string, RouteFigures>()
  readonly #collects = new Set<Collect>([to => this.#collectOwn(to)])

  /** Returns the figures of a route. */
  route(path: string): RouteFigures {
    const figures = this.#routes.get(path) ?? new RouteFigures()
    this.#routes.set(path, figures)
    return figures
  }

  /** Counts the codes of a GraphQL response, each once. */
  countErrors(errors: readonly { extensions?: { code?: unknown } | undefined }[] = []): void {
    for (const code of new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'OTHER'))))
      this.graphqlErrors.add(code)
  }

  /** Calls a function at each scrape; returns the function that ends this. */
  onCollect(collect: Collect): () => void {
    this.#collects.add(collect)
    return () => void this.#collects.delete(collect)
  }

  /** Returns all metrics at this moment, in the form of prom-client. */
  async collect(): Promise<Metric[]> {
    const to = new Collection()
    await Promise.allSettled([...this.#collects].map(async collect => collect(to)))
    return to.toMetrics()
  }

  /** Returns the metrics in Prometheus' format, or in that of OpenMetrics if `accept` prefers it. */
  async text(accept?: string): Promise<Formatted> {
    return formatMetrics(await this.collect(), accept)
  }

  #collectOwn(to: Collection): void {
    for (const [route, figures] of this.#routes) figures.collect(to, route)
    this.operations.collect(to)
    for (const [grant, count] of this.issued.counts) to.add('tokens_issued_total', count, { grant })
    for (const [outcome, count] of this.logins.counts) to.add('logins_total', count, { outcome })
    for (const [code, count] of this.graphqlErrors.counts) to.add('graphql_errors_total', count, { code })
    for (const [key, count] of this.errors.counts) {
      const [code = '', reason = ''] = key.split(' ')
      to.add('errors_total', count, { code, reason })
    }
  }
}
