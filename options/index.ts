import type { RegisterOptions } from 'fastify'
import { isInMemory } from '../db/url.ts'
import type * as list from '../features/index.ts'
import { features } from '../features/load.ts'
import { type Intersection, join } from '../runtime/join.ts'
import { findUnknownNames } from '../runtime/nearest.ts'
import { type HostOptions, hostChecks } from './host.ts'
import { listeningSettings, processOnlySettings } from './process.ts'
import { coreSettings, hostOnlySettings } from './service.ts'
import { checkSettings, type Setting, type Values } from './setting.ts'
import { listEntries, type Origin, readSources, type SettingSources } from './sources.ts'

type ListedFeature = (typeof list)[keyof typeof list]

/** Without features, it is an empty object. */
const featureSettings = join('settings', ...features.map(({ settings }) => settings)) as object &
  Intersection<NonNullable<ListedFeature['settings']>>

const commonSettings = join('settings', coreSettings, featureSettings)

/** The settings of the plugin in a host. */
const serviceSettings = join('settings', commonSettings, hostOnlySettings)

/** The settings of the process, for which there are variables and flags. */
const processSettings = join('settings', commonSettings, processOnlySettings)

export type ServiceSettings = Values<typeof serviceSettings>
/** The settings of all features that are listed. */
export type FeatureSettings = Values<typeof featureSettings>
export type ListeningSettings = Values<typeof listeningSettings>
export type ProcessSettings = Values<typeof processSettings>

/** Options of `app.register(productTemplates, …)`; all are optional. The build documents each one in the package. */
export interface ServiceOptions extends Partial<ServiceSettings>, HostOptions {}

/** Picks the settings of the service from those of the process, which opens the database itself. */
export const pickServiceSettings = ({ database: _, ...settings }: ProcessSettings): ServiceOptions =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(commonSettings, name)))

/** Lists every setting of the process with the name of its option, in the order of the documentation. */
export const listSettings = () => listEntries(processSettings)

/** Lists the settings of the plugin: the common ones, which the command also has, and the host-only ones. */
export const listPluginSettings = () => ({
  common: listEntries(commonSettings),
  hostOnly: Object.entries<Setting>(hostOnlySettings)
})

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(given: ServiceOptions & RegisterOptions): ServiceSettings & HostOptions {
  // Fastify passes its own `register` options along.
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...options } = given
  const checks = { ...hostChecks, ...serviceSettings }
  const problems = findUnknownNames(Object.keys(options), Object.keys(checks))
  // The values that are checked always have a database, by default.
  if (options.db !== undefined && options.database !== undefined)
    problems.push('db and database are two databases: give only one of them')
  return checkSettings(checks, options, { problems, findContradictions })
}

/** Finds values that contradict each other, in options of a host or settings of a process. */
const findContradictions = (settings: HostOptions, nameOf: (option: string) => string): string[] => [
  ...findCoreContradictions(settings, nameOf),
  ...features.flatMap(feature => feature.findContradictions?.(settings, nameOf) ?? [])
]

/** Finds contradictions in the core. */
function findCoreContradictions(
  settings: Partial<ProcessSettings> & HostOptions,
  nameOf: (option: string) => string
): string[] {
  const { authenticate, explorer, database = '', tlsCertFile, tlsKeyFile } = settings
  const { workers = 1, reusePort, port = 0, socketPath, healthPort = 0 } = settings
  const problems: string[] = []
  if (authenticate && explorer)
    problems.push('explorer needs access tokens, which authenticate replaces: give only one of them')
  if (workers > 1 && isInMemory(database))
    problems.push(
      `${nameOf('workers')} must be 1 for a database in memory: each worker would have its own database`
    )
  if ((workers > 1 || reusePort) && socketPath !== undefined)
    problems.push(
      `${nameOf('socketPath')} is for a single process: ${nameOf('workers')} and ${nameOf('reusePort')} share a port`
    )
  if (healthPort > 0 && healthPort + workers > 65_536)
    problems.push(`${nameOf('healthPort')} must be lower: each of the workers uses the next higher port`)
  const isHealthPort = healthPort > 0 && port >= healthPort && port < healthPort + workers
  if (isHealthPort && socketPath === undefined)
    problems.push(
      `${nameOf('port')} must be another port than ${nameOf('healthPort')} and, with ${nameOf('workers')}, the next higher ones`
    )
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    problems.push(
      `${nameOf(tlsCertFile === undefined ? 'tlsCertFile' : 'tlsKeyFile')} is missing: TLS needs a certificate and its key`
    )
  return problems
}

/** Reads the settings of the process, with the source of each value. Throws a SettingsError with all problems. */
export function readSettings(sources: SettingSources): {
  settings: ProcessSettings
  origins: Record<string, Origin>
} {
  const { values, names, origins, problems } = readSources(sources, listSettings())
  // A forgotten variable must not start a service on a new, empty database.
  if (values.environment === 'production' && values.database === undefined && problems.length === 0)
    problems.push(
      'DATABASE_URL is missing: if NODE_ENV is production, it has no default. Set it to `sqlite:<path>` or `postgres://…`'
    )
  const settings = checkSettings(processSettings, values, { names, problems, findContradictions })
  return { settings, origins }
}

/** Reads the settings for listening. Ignores problems of other settings, but not an unreadable file. */
export function readListening(sources: SettingSources): ListeningSettings {
  const { values, names, problems } = readSources(sources, listEntries(listeningSettings))
  const ofFile = problems.filter(problem => problem.startsWith('CONFIG_FILE '))
  return checkSettings(listeningSettings, values, { names, problems: ofFile })
}
