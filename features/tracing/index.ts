import { counter } from '../../runtime/metrics/kinds.ts'
import type { Feature } from '../feature.ts'

/** Traces of requests, by OpenTelemetry: in those of a host, or sent to a collector. */
export const tracing: Feature = {
  metrics: { trace_exports_failed_total: counter('batches of spans that no collector accepted') },
  beforeServe: () => import('./process.ts'),
  server: () => import('./server.ts')
}
