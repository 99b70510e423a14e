import type { RegisterOptions } from 'fastify'
import { browserSettings, loginSettings, tokenSettings } from './options/access.ts'
import { backupSettings, databaseSettings } from './options/database.ts'
import { featureSettings } from './options/features.ts'
import { graphqlSettings } from './options/graphql.ts'
import { type HostOptions, hostChecks } from './options/host.ts'
import { findUnknownNames } from './options/nearest.ts'
import { findContradictions, listeningSettings, processSettings } from './options/process.ts'
import { checkSettings, type Values } from './options/setting.ts'
import { listEntries, type Origin, readSources, type SettingSources } from './options/sources.ts'

/**
 * All settings of the service, by topic. Each entry has the type, the check, the default and the documentation of a
 * setting.
 */
export const serviceSettings = {
  ...databaseSettings,
  ...tokenSettings,
  ...loginSettings,
  ...browserSettings,
  ...graphqlSettings,
  ...featureSettings,
  ...backupSettings
}

/** The settings of the process: those of the service, and those for listening and logging. */
const allSettings = { ...serviceSettings, ...processSettings }

export type ServiceSettings = Values<typeof serviceSettings>
export type ListeningSettings = Values<typeof listeningSettings>
export type ProcessSettings = Values<typeof allSettings>

/** Options of `app.register(productTemplates, …)`; all are optional. The build documents each one in the package. */
export interface ServiceOptions extends Partial<ServiceSettings>, HostOptions {}

/** Picks the settings of the service from those of the process. */
export const pickServiceSettings = (settings: ProcessSettings): ServiceSettings =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => Object.hasOwn(serviceSettings, name))
  ) as ServiceSettings

/** Lists every setting with the name of its option, in the order of the documentation. */
export const listSettings = () => listEntries(allSettings)

/** Checks the options of the plugin. Throws a StartError that reports all problems at once. */
export function parseServiceOptions(given: ServiceOptions & RegisterOptions): ServiceSettings & HostOptions {
  // Fastify passes its own `register` options along.
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...options } = given
  const checks = { ...hostChecks, ...serviceSettings }
  const problems = findUnknownNames(Object.keys(options), Object.keys(checks))
  for (const name of ['explorer', 'mcp'] as const)
    if (options.authenticate && options[name])
      problems.push(`${name} needs access tokens, which authenticate replaces: give only one of them`)
  if (options.graphqlDocumentsOnly && options.graphqlDocuments === undefined)
    problems.push('graphqlDocumentsOnly needs graphqlDocuments')
  if (options.graphqlDocumentsOnly && options.explorer)
    problems.push(
      'explorer sends its own documents, which graphqlDocumentsOnly refuses: give only one of them'
    )
  return checkSettings(checks, options, { problems })
}

/** Reads the settings of the process, with the source of each value. Throws a SettingsError with all problems. */
export function readSettings(sources: SettingSources): {
  settings: ProcessSettings
  origins: Record<string, Origin>
} {
  const { given, names, origins, problems } = readSources(sources, listSettings())
  const contradictions = findContradictions(given, problems.length === 0)
  const settings = checkSettings(allSettings, given, { names, problems: [...problems, ...contradictions] })
  return { settings, origins }
}

/** Reads the settings for listening. Ignores problems of other settings. */
export function readListening(sources: SettingSources): ListeningSettings {
  const { given, names } = readSources(sources, listEntries(listeningSettings))
  return checkSettings(listeningSettings, given, { names })
}
