import type { Metric } from './collection.ts'

/** A response to a scrape. */
export interface Formatted {
  contentType: string
  text: string
}

/** Formats metrics for Prometheus, or as OpenMetrics with exemplars if `accept` names that. */
export async function formatMetrics(metrics: Metric[], accept = ''): Promise<Formatted> {
  const Registry = await loadRegistry()
  const { OPENMETRICS_CONTENT_TYPE, PROMETHEUS_CONTENT_TYPE } = Registry
  const isOpen = /application\/openmetrics-text/i.test(accept)
  const registry = new Registry(isOpen ? OPENMETRICS_CONTENT_TYPE : PROMETHEUS_CONTENT_TYPE)
  for (const metric of metrics) {
    const name = isOpen ? toOpenName(metric) : metric.name
    registry.registerMetric({ name, get: async () => ({ ...metric, name }) })
  }
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/** prom-client has types for its main file only. */
interface Registry {
  contentType: string
  registerMetric(metric: { name: string; get(): Promise<Metric> }): void
  metrics(): Promise<string>
}
interface RegistryClass {
  new (contentType: string): Registry
  OPENMETRICS_CONTENT_TYPE: string
  PROMETHEUS_CONTENT_TYPE: string
}

/** Loads it for the first scrape. The main file of the package would load much more, OpenTelemetry among it. */
async function loadRegistry(): Promise<RegistryClass> {
  // @ts-expect-error no types, as said
  const { default: loaded } = await import('prom-client/lib/registry.js')
  return loaded
}

/** OpenMetrics names a counter without the `_total` of its value, which prom-client adds. */
const toOpenName = ({ name, type }: Metric): string =>
  type === 'counter' ? name.replace(/_total$/, '') : name
