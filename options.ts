import type { Tracer } from '@opentelemetry/api'
import type { RegisterOptions } from 'fastify'
import type { AnyDb } from './db/schema.ts'
import { isInMemory } from './db/url.ts'
import type { Metrics } from './metrics/metrics.ts'
import { browserSettings, loginSettings, tokenSettings } from './options/access.ts'
import { checkSettings, findUnknownNames } from './options/check.ts'
import { backupSettings, databaseSettings } from './options/database.ts'
import { graphqlSettings } from './options/graphql.ts'
import { listeningSettings } from './options/listening.ts'
import { processSettings } from './options/process.ts'
import { boolean, instance, type Values } from './options/setting.ts'
import { listEntries, type Origin, readSources, type SettingSources } from './options/sources.ts'
import { templateSettings } from './options/templates.ts'

/**
 * All settings of the service, by topic. Each entry is the type, the check, the default and the documentation of a
 * setting. The value of a `secret` is never printed.
 */
const serviceSettings = {
  ...databaseSettings,
  ...tokenSettings,
  ...loginSettings,
  ...browserSettings,
  ...graphqlSettings,
  ...templateSettings,
  ...backupSettings
}

/** Settings of the process: those of the service, plus where to listen and what to log. */
const allSettings = { ...serviceSettings, ...processSettings }

export type ServiceSettings = Values<typeof serviceSettings>
export type ListeningSettings = Values<typeof listeningSettings>
export type ProcessSettings = Values<typeof allSettings>

/** Options of the plugin that are no settings of the command: objects of the host, and what is off in a host. */
interface HostOptions {
  /** The host's own Kysely instance, used instead of `database`. The host closes it. */
  db?: AnyDb | undefined
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

/** Options of `app.register(productTemplates, …)`; all are optional. The build documents each one in the package. */
export interface ServiceOptions extends Partial<ServiceSettings>, HostOptions {}

/** Picks the settings of the service from those of the process. */
export const pickServiceSettings = (settings: ProcessSettings): ServiceSettings =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => Object.hasOwn(serviceSettings, name))
  ) as ServiceSettings

/** Lists the settings that are options of the plugin. */
export const serviceSettingEntries = () => listEntries(serviceSettings)

/** Lists every setting with the name of its option, in the order of the documentation. */
export const settingEntries = () => listEntries(allSettings)

/** Whether a value has methods, as an instance of whichever copy of its package. */
const hasMethods = (value: unknown, ...names: string[]): boolean =>
  names.every(name => typeof (value as Record<string, unknown> | null)?.[name] === 'function')

/** The options of a host as settings. */
const hostSettings = {
  db: instance<AnyDb>('a Kysely instance', db => hasMethods(db, 'selectFrom', 'transaction', 'getExecutor')),
  explorer: boolean({ description: 'whether to serve the explorer' }),
  metrics: boolean({ description: 'whether to serve the metrics' }),
  figures: instance<Metrics>('a Metrics of this package', figures => hasMethods(figures, 'onScrape')),
  tracer: instance<Tracer | false>(
    'an OpenTelemetry tracer or false',
    tracer => tracer === false || hasMethods(tracer, 'startSpan')
  )
}

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(given: ServiceOptions & RegisterOptions): ServiceSettings & HostOptions {
  // Fastify passes its own `register` options along.
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...options } = given
  const settings = { ...hostSettings, ...serviceSettings }
  return checkSettings(settings, options, {}, findUnknownNames(Object.keys(options), Object.keys(settings)))
}

/**
 * Reads the settings of the process, and tells where each value comes from. Throws a SettingsError with all
 * problems.
 */
export function readSettings(sources: SettingSources): {
  settings: ProcessSettings
  origins: Record<string, Origin>
} {
  const { given, names, origins, problems } = readSources(sources, settingEntries())
  const contradictions = findContradictions(given, problems.length === 0)
  return { settings: checkSettings(allSettings, given, names, [...problems, ...contradictions]), origins }
}

/** Reads where a process with these settings listens. What is wrong with other settings does not matter. */
export function readListening(sources: SettingSources): ListeningSettings {
  const { given, names } = readSources(sources, listEntries(listeningSettings))
  return checkSettings(listeningSettings, given, names, [])
}

/** Finds what is wrong between settings that are each right. `complete`: none of them could not be read. */
function findContradictions(
  { workers, reusePort, socketPath, database, environment, tlsCertFile, tlsKeyFile }: Record<string, unknown>,
  complete: boolean
): string[] {
  const problems: string[] = []
  if (Number(workers) > 1 && isInMemory(String(database)))
    problems.push('WORKERS must be 1 for a database in memory: each worker would have its own')
  if ((Number(workers) > 1 || reusePort === true) && socketPath !== undefined)
    problems.push('SOCKET_PATH is for a single process: WORKERS and REUSE_PORT share a port')
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    problems.push(
      `${tlsCertFile === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE'} is missing: TLS needs a certificate and its key`
    )
  // A forgotten variable must not start a service on a new, empty database.
  if (environment === 'production' && database === undefined && complete)
    problems.push(
      'DATABASE_URL is missing: if NODE_ENV is production, it has no default. Set it to `sqlite:<path>` or `postgres://…`'
    )
  return problems
}
