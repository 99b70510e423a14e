import { Counter, Gauge, Histogram, type Metric, Registry, type RegistryContentType } from 'prom-client'
import { definitions, type Figures, type MetricName, type NameOf, prefix } from './definitions.ts'

/** Reads figures for a scrape. If it fails, they are left out. */
export type ReadFigures = () => Figures | Promise<Figures>

/** A response to a scrape. */
export interface Scrape {
  contentType: string
  text: string
}

/** Names of operations that have figures of their own. They come from clients, who may send any number. */
export const maxOperationNames = 100
/** Characters of a name that has figures of its own. */
const longestOperationName = 64

/** An operation of a request. */
export interface NamedOperation {
  /** As its client names it; undefined if it is anonymous. */
  readonly name: string | undefined
  readonly figures: OperationFigures
}

type OperationFigures = ReturnType<typeof countOperations>

/** How logins end. */
const loginOutcomes = ['succeeded', 'refused', 'locked', 'busy', 'failed'] as const
export type LoginOutcome = (typeof loginOutcomes)[number]

/**
 * The metrics of one service. A host that wants them without an endpoint creates it, registers the service with it, and
 * calls `text()`. Nothing of it is global, and it holds no timer.
 */
export class Metrics {
  /** What is counted when it happens. */
  readonly #registry = new Registry<RegistryContentType>()
  readonly #readers = new Set<ReadFigures>()
  /** By type and name. */
  readonly #operations = new Map<string, OperationFigures>()

  constructor() {
    // Exemplars need it.
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    // From zero, so that the first one is an increase. An alert counts on each reuse of a token.
    for (const outcome of loginOutcomes) this.counter('logins_total').inc({ outcome }, 0)
    this.counter('errors_total').inc({ code: 'invalid_grant', reason: 'token_reused' }, 0)
  }

  /** Returns a counter of this service; it is there from its first use. */
  counter(name: NameOf<'counter'>): Counter {
    return findMetric(name, this.#registry) as Counter
  }

  gauge(name: NameOf<'gauge'>): Gauge {
    return findMetric(name, this.#registry) as Gauge
  }

  histogram(name: NameOf<'histogram'>): Histogram {
    return findMetric(name, this.#registry) as Histogram
  }

  /**
   * Finds the figures of an operation that is valid and admitted. The first names have figures of their own, all others
   * share those of `other`.
   */
  findOperation(name: string | undefined, type: string): NamedOperation {
    const own = name === undefined ? 'anonymous' : name.length > longestOperationName ? 'other' : name
    const hasRoom = this.#operations.size < maxOperationNames
    const operation = hasRoom || this.#operations.has(`${type} ${own}`) ? own : 'other'
    const key = `${type} ${operation}`
    const figures = this.#operations.get(key) ?? countOperations(this, { operation, type })
    this.#operations.set(key, figures)
    return { name, figures }
  }

  /** Calls a function at each scrape for what is measured only then; returns the function that ends this. */
  onScrape(read: ReadFigures): () => void {
    this.#readers.add(read)
    return () => void this.#readers.delete(read)
  }

  /** Returns the metrics in Prometheus' format, or in that of OpenMetrics with exemplars if `accept` names that. */
  async text(accept = ''): Promise<Scrape> {
    const isOpen = /application\/openmetrics-text/i.test(accept)
    const scrape = new Registry<RegistryContentType>()
    scrape.setContentType(isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE)
    // Not the metrics themselves: the registry takes `_total` off the names of counters that it formats as OpenMetrics.
    for (const metric of this.#registry.getMetricsAsArray())
      scrape.registerMetric(Object.create(metric) as Metric)
    const read = await Promise.allSettled([...this.#readers].map(async read => read()))
    for (const result of read) if (result.status === 'fulfilled') addFigures(scrape, result.value)
    return { contentType: scrape.contentType, text: await scrape.metrics() }
  }
}

const classes = { counter: Counter, gauge: Gauge, histogram: Histogram }

/** Finds a metric in a registry, or adds it. */
function findMetric(name: MetricName, registry: Registry<RegistryContentType>): Metric {
  const known = registry.getSingleMetric(prefix + name)
  if (known) return known
  const { type, help, labels: labelNames, ...buckets } = definitions[name]
  const enableExemplars = name === 'http_request_duration_seconds'
  const registers = [registry]
  return new classes[type]({ name: prefix + name, help, labelNames, registers, enableExemplars, ...buckets })
}

function addFigures(registry: Registry<RegistryContentType>, figures: Figures): void {
  for (const [key, figure] of Object.entries(figures)) {
    const name = key as keyof Figures
    const [label = ''] = definitions[name].labels
    const metric = findMetric(name, registry) as Counter | Gauge
    if (typeof figure === 'number') metric.inc(figure)
    else for (const [value, each] of Object.entries(figure)) metric.inc({ [label]: value }, each)
  }
}

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
    kept: count('kept'),
    shared: count('shared'),
    /** Counts an execution with its cost; `begun` is as of performance.now(). */
    countExecuted(spent: number, begun: number): void {
      executed.inc()
      cost.inc(spent)
      durations.observe((performance.now() - begun) / 1000)
    }
  }
}
