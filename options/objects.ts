import type { Tracer } from '@opentelemetry/api'
import type { AnyDb } from '../db/schema.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { isKysely } from './check.ts'

/** Options of the plugin that are no settings of the command: objects of the host, and what is off in a host. */
export interface HostOptions {
  /** The host's own Kysely instance, used instead of `database`. The host closes it. */
  db?: AnyDb
  /** Serve the explorer, a web page for people, at `/` below the prefix; off by default. */
  explorer?: boolean
  /** Serve `GET /metrics` for Prometheus, without authentication; off by default. */
  metrics?: boolean
  /** Where the service counts; by default in an object of its own. `figures.text()` returns the metrics. */
  figures?: Metrics
  /**
   * OpenTelemetry tracer for the spans of the service; `false` for none. By default, spans are part of the host's traces
   * if a provider is registered with @opentelemetry/api.
   */
  tracer?: Tracer | false
}

const checks: Record<keyof HostOptions, { isValid(value: unknown): boolean; expected: string }> = {
  db: { isValid: isKysely, expected: 'a Kysely instance' },
  explorer: { isValid: value => typeof value === 'boolean', expected: 'true or false' },
  metrics: { isValid: value => typeof value === 'boolean', expected: 'true or false' },
  figures: { isValid: value => hasMethod(value, 'onScrape'), expected: 'a Metrics of this package' },
  tracer: {
    isValid: value => value === false || hasMethod(value, 'startSpan'),
    expected: 'an OpenTelemetry tracer or false'
  }
}

const hasMethod = (value: unknown, name: string): boolean =>
  typeof (value as Record<string, unknown> | null)?.[name] === 'function'

/** Splits options into those of the host and settings; adds what is wrong with the former to the problems. */
export function splitHostOptions<Rest extends object>(given: HostOptions & Rest, problems: string[]) {
  const { db, explorer, metrics, figures, tracer, ...settings } = given
  const host: HostOptions = {}
  for (const [name, value] of Object.entries({ db, explorer, metrics, figures, tracer })) {
    const { isValid, expected } = checks[name as keyof HostOptions]
    if (value === undefined) continue
    if (isValid(value)) Object.assign(host, { [name]: value })
    else problems.push(`${name} must be ${expected}`)
  }
  return { host, settings }
}
