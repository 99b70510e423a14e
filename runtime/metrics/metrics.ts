import { Counter, Gauge, Histogram, type Metric, Registry, type RegistryContentType } from 'prom-client'
import { PublicError } from '../errors.ts'
import type { RequestTrace } from '../tracing.ts'
import { type Definition, definitions, type MetricValues, type NameOf, prefix } from './definitions.ts'

/** Reads values for a scrape. If the function fails, the scrape omits them. */
export type ReadMetricValues<Name extends string = NameOf<'counter' | 'gauge'>> = () =>
  | MetricValues<Name>
  | Promise<MetricValues<Name>>

/**
 * Maximum number of operation names with counters of their own. Names come from clients, which may send any number of
 * them.
 */
export const maxOperationNames = 100
/** Maximum characters of an operation name with counters of its own. */
const maxOperationNameLength = 64

export interface NamedOperation {
  /** The name in the request; undefined if the operation is anonymous. */
  readonly name: string | undefined
  readonly counters: OperationCounters
}

type OperationCounters = ReturnType<typeof countOperations>

/** The results of refused logins, by the status of the error. */
const loginFailures: Record<number, string> = { 400: 'refused', 429: 'locked', 503: 'busy' }
const loginOutcomes = ['succeeded', ...Object.values(loginFailures), 'failed']

/**
 * The metrics of one service. A host that needs no endpoint creates this object, registers the service with it, and
 * calls `text()`. It has no global state and no timer.
 */
export class Metrics {
  readonly #definitions: Record<string, Definition> = { ...definitions }
  /** The metrics that count events. Others are read at each scrape. */
  readonly #registry = new Registry<RegistryContentType>()
  readonly #readers = new Set<ReadMetricValues<string>>()
  /** The counters of operations, by type and name. */
  readonly #operations = new Map<string, OperationCounters>()

  constructor() {
    // Exemplars need this content type.
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    // Counters start at zero, so that the first event is an increase. An alert depends on that for the reuse of
    // tokens.
    for (const outcome of loginOutcomes) this.counter('logins_total').inc({ outcome }, 0)
    this.counter('errors_total').inc({ code: 'invalid_grant', reason: 'token_reused' }, 0)
  }

  /** Adds the metrics of features. @internal */
  define(more: Record<string, Definition>): void {
    Object.assign(this.#definitions, more)
  }

  /** Returns a counter of this service. The first call creates it. A feature gives the type of its own names. */
  counter<Name extends string = NameOf<'counter'>>(name: NoInfer<Name>): Counter {
    return this.#findMetric(name) as Counter
  }

  gauge<Name extends string = NameOf<'gauge'>>(name: NoInfer<Name>): Gauge {
    return this.#findMetric(name) as Gauge
  }

  histogram<Name extends string = NameOf<'histogram'>>(name: NoInfer<Name>): Histogram {
    return this.#findMetric(name) as Histogram
  }

  /**
   * Finds the counters of an admitted operation. The first names have counters of their own. All later names share the
   * counters of `other`.
   */
  findOperation(name: string | undefined, type: string): NamedOperation {
    const own = name === undefined ? 'anonymous' : name.length > maxOperationNameLength ? 'other' : name
    const hasRoom = this.#operations.size < maxOperationNames
    const operation = hasRoom || this.#operations.has(`${type} ${own}`) ? own : 'other'
    const key = `${type} ${operation}`
    const counters = this.#operations.get(key) ?? countOperations(this, { operation, type })
    this.#operations.set(key, counters)
    return { name, counters }
  }

  /** Counts a login by its outcome. Resolves or rejects as the login does. */
  async countLogin<Login>(login: Promise<Login>): Promise<Login> {
    const result: unknown = await login.catch(error => error)
    const failure = (result instanceof PublicError && loginFailures[result.statusCode]) || 'failed'
    this.counter('logins_total').inc({ outcome: result instanceof Error ? failure : 'succeeded' })
    return login
  }

  /** Calls `read` at each scrape. Returns the function that stops this. */
  onScrape(read: ReadMetricValues<string>): () => void {
    this.#readers.add(read)
    return () => void this.#readers.delete(read)
  }

  /**
   * Returns the metrics in the format of Prometheus or, if `accept` names it, in that of OpenMetrics, with exemplars.
   */
  async text(accept = '') {
    const isOpen = /application\/openmetrics-text/i.test(accept)
    const scrape = new Registry<RegistryContentType>()
    scrape.setContentType(isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE)
    // Copies of the metrics, because formatting as OpenMetrics removes `_total` from the names of counters.
    for (const metric of this.#registry.getMetricsAsArray())
      scrape.registerMetric(Object.create(metric) as Metric)
    const read = await Promise.allSettled([...this.#readers].map(async read => read()))
    for (const result of read) if (result.status === 'fulfilled') this.#addMetricValues(scrape, result.value)
    return { contentType: scrape.contentType, text: await scrape.metrics() }
  }

  /** Finds a metric in a registry, or creates it. */
  #findMetric(name: string, registry = this.#registry): Metric {
    const existing = registry.getSingleMetric(prefix + name)
    if (existing) return existing
    const definition = this.#definitions[name]
    if (!definition) throw new Error(`there is no metric ${name}`)
    const { type, help, labels: labelNames, ...buckets } = definition
    const enableExemplars = name === 'http_request_duration_seconds'
    const registers = [registry]
    return new classes[type]({
      name: prefix + name,
      help,
      labelNames,
      registers,
      enableExemplars,
      ...buckets
    })
  }

  #addMetricValues(registry: Registry<RegistryContentType>, values: MetricValues<string>): void {
    for (const [name, figure = 0] of Object.entries(values)) {
      const metric = this.#findMetric(name, registry) as Counter | Gauge
      const [label = ''] = this.#definitions[name]?.labels ?? []
      if (typeof figure === 'number') metric.inc(figure)
      else for (const [value, each] of Object.entries(figure)) metric.inc({ [label]: value }, each)
    }
  }
}

const classes = { counter: Counter, gauge: Gauge, histogram: Histogram }

/** Counts the operations of one name and type. */
function countOperations(metrics: Metrics, labels: { operation: string; type: string }) {
  const count = (source: string) => {
    const counter = metrics.counter('graphql_operations_total').labels({ ...labels, source })
    counter.inc(0)
    return counter
  }
  const executed = count('executed')
  const cost = metrics.counter('graphql_cost_total').labels(labels)
  const durations = metrics.histogram('graphql_operation_duration_seconds').labels(labels)
  return {
    type: labels.type,
    cached: count('cached'),
    joined: count('joined'),
    /** Counts an execution with its cost. `begun` is a time of performance.now(). */
    countExecuted(spent: number, begun: number): void {
      executed.inc()
      cost.inc(spent)
      durations.observe((performance.now() - begun) / 1000)
    }
  }
}

/** The parts of a Fastify request and its response that are counted. */
interface CountedRequest {
  method: string
  productTrace: RequestTrace | null
}
interface CountedResponse {
  statusCode: number
  /** Milliseconds. */
  elapsedTime: number
}

/** Makes the hook that counts the responses of a route. It uses a callback, because it runs for every request. */
export function countResponses(metrics: Metrics, route: string) {
  const requests = metrics.counter('http_requests_total')
  const durations = metrics.histogram('http_request_duration_seconds')
  return (
    { method, productTrace }: CountedRequest,
    { statusCode, elapsedTime }: CountedResponse,
    done: () => void
  ): void => {
    requests.inc({ route, method, status: statusCode })
    const exemplarLabels = productTrace?.exemplar ?? {}
    durations.observe({ labels: { route, method }, value: elapsedTime / 1000, exemplarLabels })
    done()
  }
}
