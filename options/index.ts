import type { RegisterOptions } from 'fastify'
import type * as list from '../features/index.ts'
import { features } from '../features/load.ts'
import { findUnknownNames } from '../runtime/nearest.ts'
import { browserSettings, loginSettings, tokenSettings } from './access.ts'
import { findContradictions } from './contradictions.ts'
import { databaseSettings } from './database.ts'
import { graphqlSettings } from './graphql.ts'
import { type HostOptions, hostChecks } from './host.ts'
import { limitSettings } from './limits.ts'
import { listeningSettings, processSettings } from './process.ts'
import { checkSettings, type Setting, type Values } from './setting.ts'
import { listEntries, type Origin, readSources, type SettingSources } from './sources.ts'
import { templateSettings } from './templates.ts'

/** The settings of the core, by topic. Each entry has type, check, default and documentation. */
const coreSettings = {
  ...databaseSettings,
  ...tokenSettings,
  ...loginSettings,
  ...browserSettings,
  ...graphqlSettings,
  ...templateSettings
}

const featureSettings: Record<string, Setting> = Object.assign(
  {},
  ...features.map(({ settings }) => settings)
)
const featureLimits: Record<string, Setting> = Object.assign({}, ...features.map(({ limits }) => limits))

const commonSettings = { ...coreSettings, ...featureSettings }

/** The settings of the plugin in a host. */
const pluginSettings = { ...commonSettings, ...limitSettings, ...featureLimits }

/** The settings of the process, for which there are variables and flags. */
const commandSettings = { ...commonSettings, ...processSettings }

/** The settings of the core. At run time, the same objects have those of the features. */
export type ServiceSettings = Values<typeof coreSettings & typeof limitSettings>
export type ListeningSettings = Values<typeof listeningSettings>
export type ProcessSettings = Values<typeof coreSettings & typeof processSettings>

type Listed = (typeof list)[keyof typeof list]
type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All
) => void
  ? All
  : never

/** The settings of all features that are listed. */
export type FeatureSettings = Values<Intersection<NonNullable<Listed['settings'] | Listed['limits']>>>

/** Options of `app.register(productTemplates, …)`; all are optional. The build documents each one in the package. */
export interface ServiceOptions extends Partial<ServiceSettings & FeatureSettings>, HostOptions {}

/** Picks the settings of the service from those of the process. */
export const pickServiceSettings = (settings: ProcessSettings): ServiceOptions =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(commonSettings, name)))

/** Lists every setting of the process with the name of its option, in the order of the documentation. */
export const listSettings = () => listEntries(commandSettings)

/**
 * Lists the settings of the plugin: the common ones, which the command has too, and the limits, which only hosts have.
 */
export const listPluginSettings = () => ({
  common: listEntries(commonSettings),
  limits: Object.entries<Setting>({ ...limitSettings, ...featureLimits })
})

/** Finds contradictions, also between settings of features. `names` has the names of options for the messages. */
function findAllContradictions(
  given: Readonly<Record<string, unknown>>,
  names: Record<string, string> = {}
): string[] {
  const nameOf = (option: string) => names[option] ?? option
  const ofFeatures = features.flatMap(feature => feature.findContradictions?.(given, nameOf) ?? [])
  return [...findContradictions(given), ...ofFeatures]
}

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(given: ServiceOptions & RegisterOptions): ServiceSettings & HostOptions {
  // Fastify passes its own `register` options along.
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...options } = given
  const checks = { ...hostChecks, ...pluginSettings }
  const unknown = findUnknownNames(Object.keys(options), Object.keys(checks))
  return checkSettings<typeof hostChecks & typeof coreSettings & typeof limitSettings>(checks, options, {
    problems: [...unknown, ...findAllContradictions(options)]
  })
}

/** Reads the settings of the process, with the source of each value. Throws a SettingsError with all problems. */
export function readSettings(sources: SettingSources): {
  settings: ProcessSettings
  origins: Record<string, Origin>
} {
  const { given, names, origins, problems } = readSources(sources, listSettings())
  // A forgotten variable must not start a service on a new, empty database.
  if (given.environment === 'production' && given.database === undefined && problems.length === 0)
    problems.push(
      'DATABASE_URL is missing: if NODE_ENV is production, it has no default. Set it to `sqlite:<path>` or `postgres://…`'
    )
  const { explorer, port } = processSettings
  const defaults = { explorer: explorer.default, port: port.default }
  const contradictions = findAllContradictions({ ...defaults, ...given }, names)
  const settings = checkSettings<typeof coreSettings & typeof processSettings>(commandSettings, given, {
    names,
    problems: [...problems, ...contradictions]
  })
  return { settings, origins }
}

/** Reads the settings for listening. Ignores problems of other settings. */
export function readListening(sources: SettingSources): ListeningSettings {
  const { given, names } = readSources(sources, listEntries(listeningSettings))
  return checkSettings(listeningSettings, given, { names })
}
