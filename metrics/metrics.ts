import { Counter, Gauge, Histogram, type Metric, Registry, type RegistryContentType } from 'prom-client'
import { definitions, type Figures, type MetricName, type NameOf, prefix } from './definitions.ts'
import { OperationsByName } from './operations.ts'

/** Reads figures for a scrape. If it fails, they are left out. */
export type ReadFigures = () => Figures | Promise<Figures>

/** A response to a scrape. */
export interface Scrape {
  contentType: string
  text: string
}

/** How logins end. */
const loginOutcomes = ['succeeded', 'refused', 'locked', 'busy', 'failed'] as const
export type LoginOutcome = (typeof loginOutcomes)[number]

/**
 * The metrics of one service. A host that wants them without an endpoint creates it, registers the service with it, and
 * calls `text()`. Nothing of it is global, and it holds no timer.
 */
export class Metrics {
  readonly operations = new OperationsByName(this)
  /** What is counted when it happens. */
  readonly #registry = new Registry<RegistryContentType>()
  readonly #readers = new Set<ReadFigures>()

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
    for (const counted of await this.#registry.getMetricsAsJSON()) {
      // A copy: the registry takes `_total` off the names of the counters that it formats as OpenMetrics.
      const copy = { ...counted, get: async () => copy }
      scrape.registerMetric(copy as unknown as Metric)
    }
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
