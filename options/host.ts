import type { AnyDb } from '../db/schema.ts'
import type { Metrics } from '../runtime/metrics/metrics.ts'
import type { Authenticate } from './authenticate.ts'
import { type OptionCheck, trueOrFalse } from './setting.ts'

/** A tracer of @opentelemetry/api. This type is our own, so that the types of a host do not need that package. */
export interface HostTracer {
  startSpan(name: string, ...more: never[]): object
}

/**
 * Options that only the plugin checks: objects of the host, and two that are off by default in a host. The command has
 * settings of its own for these two.
 */
export interface HostOptions {
  /** The host's own Kysely instance, used instead of `database`. The host closes it. */
  db?: AnyDb | undefined
  /**
   * Authenticates requests instead of access tokens: returns `{ subject, scopes, name?, where? }`, or undefined for a
   * response 401. `scopes` are the rights of the sender: `read`, `write`, `publish` and `admin`, of which none includes
   * another. `where` limits the templates.
   */
  authenticate?: Authenticate
  /** Serve the explorer, a web page for people, at `/` below the prefix; off by default. */
  explorer?: boolean
  /** Serve `GET /metrics` for Prometheus, without authentication; off by default. */
  metrics?: boolean
  /**
   * The metrics object of the host; by default, the service creates one. `metricsRegistry.text()` returns the metrics.
   */
  metricsRegistry?: Metrics
  /**
   * OpenTelemetry tracer for the spans of the service; `false` for none. By default, spans are part of the host's
   * traces if a provider is registered with @opentelemetry/api.
   */
  tracer?: HostTracer | false | undefined
}

/** The checks of these options. `secret` keeps objects of the host out of error messages. */
export const hostChecks = {
  db: {
    secret: true,
    expected: 'a Kysely instance',
    isValid: (db): db is AnyDb => hasMethods(db, 'selectFrom', 'transaction', 'getExecutor')
  },
  authenticate: {
    expected: 'a function',
    isValid: (authenticate): authenticate is Authenticate => typeof authenticate === 'function'
  },
  explorer: trueOrFalse,
  metrics: trueOrFalse,
  metricsRegistry: {
    secret: true,
    expected: 'a Metrics of this package',
    isValid: (metricsRegistry): metricsRegistry is Metrics =>
      hasMethods(metricsRegistry, 'onScrape', 'define')
  },
  tracer: {
    secret: true,
    expected: 'an OpenTelemetry tracer or false',
    isValid: (tracer): tracer is HostTracer | false => tracer === false || hasMethods(tracer, 'startSpan')
  }
} satisfies { [Name in keyof Required<HostOptions>]: OptionCheck<HostOptions[Name]> }

/** Whether a value has these methods. `instanceof` would refuse an instance of another copy of the package. */
function hasMethods(value: unknown, ...names: string[]): boolean {
  return names.every(name => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
}
