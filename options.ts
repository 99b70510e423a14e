import type { RegisterOptions } from 'fastify'
import type { Static } from 'typebox'
import { isInMemory } from './db/url.ts'
import { backupSettings } from './options/backups.ts'
import { browserSettings } from './options/browsers.ts'
import { checkSettings, findUnknownNames, type OptionNames, type SettingEntry } from './options/check.ts'
import { databaseSettings } from './options/database.ts'
import type { DocumentedOptions } from './options/documented.ts'
import { graphqlSettings } from './options/graphql.ts'
import { listeningSettings } from './options/listening.ts'
import { loginSettings } from './options/logins.ts'
import { type HostOptions, splitHostOptions } from './options/objects.ts'
import { processSettings } from './options/process.ts'
import { type Origin, readSources, type SettingSources } from './options/sources.ts'
import { templateSettings } from './options/templates.ts'
import { tokenSettings } from './options/tokens.ts'
import { Type } from './options/types.ts'

/**
 * All settings of the service, by topic. Each entry is the type, the check, the default and the documentation of a
 * setting; `env` names its environment variable. The value of a `secret` is never printed.
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

const ServiceSettings = Type.Object(serviceSettings)
/** Settings of the process: those of the service, plus where to listen and what to log. */
export const ProcessSettings = Type.Object({ ...serviceSettings, ...processSettings })

const ListeningSettings = Type.Object(listeningSettings)

export type ServiceSettings = Static<typeof ServiceSettings>
export type ListeningSettings = Static<typeof ListeningSettings>
export type ProcessSettings = Static<typeof ProcessSettings>

/** Options of `app.register(productTemplates, …)`; all are optional. */
export interface ServiceOptions extends DocumentedOptions, HostOptions {}

/** Picks the settings of the service from those of the process. */
export function pickServiceSettings(settings: ProcessSettings): ServiceSettings {
  const names = Object.keys(serviceSettings)
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => names.includes(name))
  ) as ServiceSettings
}

/** Lists the settings that are options of the plugin. */
export const serviceSettingEntries = (): [option: string, entry: SettingEntry][] =>
  settingEntries().filter(([option]) => Object.hasOwn(serviceSettings, option))

/** Lists every setting with the name of its option, in the order of the documentation. */
export const settingEntries = (): [option: string, entry: SettingEntry][] =>
  Object.entries(ProcessSettings.properties) as unknown as [string, SettingEntry][]

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(given: ServiceOptions & RegisterOptions): ServiceSettings & HostOptions {
  const problems: string[] = []
  const { host, settings: all } = splitHostOptions(given, problems)
  // Fastify passes its own `register` options along.
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...settings } = all
  const names: OptionNames = Object.fromEntries(Object.keys(serviceSettings).map(name => [name, name]))
  problems.unshift(...findUnknownNames(Object.keys(settings), Object.keys(names)))
  return { ...checkSettings(ServiceSettings, settings, names, problems), ...host }
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
  return { settings: checkSettings(ProcessSettings, given, names, [...problems, ...contradictions]), origins }
}

/** Reads where a process with these settings listens. What is wrong with other settings does not matter. */
export function readListening(sources: SettingSources): ListeningSettings {
  const { given, names } = readSources(
    sources,
    Object.entries(listeningSettings) as unknown as [string, SettingEntry][]
  )
  return checkSettings(ListeningSettings, given, names, [])
}

/** Reads the settings of a process without flags. */
export const optionsFromEnv = (env: NodeJS.ProcessEnv): ProcessSettings =>
  readSettings({ flags: {}, env }).settings

/** Finds what is wrong between settings that are each right. `complete`: none of them could not be read. */
function findContradictions(
  { workers, database, environment, tlsCertFile, tlsKeyFile }: Record<string, unknown>,
  complete: boolean
): string[] {
  const problems: string[] = []
  if (Number(workers) > 1 && isInMemory(String(database)))
    problems.push('WORKERS must be 1 for a database in memory: each worker would have its own')
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
