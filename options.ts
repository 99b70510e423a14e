import { readFileSync } from 'node:fs'
import type { RegisterOptions } from 'fastify'
import type { Static } from 'typebox'
import type { AnyDb } from './db/schema.ts'
import { isInMemory } from './db/url.ts'
import {
  checkSettings,
  findUnknownNames,
  isKysely,
  isTypo,
  type OptionNames,
  type SettingEntry
} from './options/check.ts'
import { databaseSettings } from './options/database.ts'
import type { DocumentedOptions } from './options/documented.ts'
import { graphqlSettings } from './options/graphql.ts'
import { loginSettings } from './options/logins.ts'
import { processSettings } from './options/process.ts'
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
  ...graphqlSettings,
  ...templateSettings
}

const ServiceSettings = Type.Object(serviceSettings)
/** Settings of the process: those of the service, plus where to listen and what to log. */
export const ProcessSettings = Type.Object({ ...serviceSettings, ...processSettings })

export type ServiceSettings = Static<typeof ServiceSettings>
export type ProcessSettings = Static<typeof ProcessSettings>

/** Options of `app.register(productTemplates, …)`; all are optional. */
export interface ServiceOptions extends DocumentedOptions {
  /** The host's own Kysely instance, used instead of `database`. The host closes it. */
  db?: AnyDb
}

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
export function parseServiceOptions(
  given: ServiceOptions & RegisterOptions
): ServiceSettings & { db?: AnyDb } {
  // Fastify passes its own `register` options along.
  const { db, prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...settings } = given
  const names: OptionNames = Object.fromEntries(Object.keys(serviceSettings).map(name => [name, name]))
  const problems = findUnknownNames(Object.keys(settings), Object.keys(names))
  if (db !== undefined && !isKysely(db)) problems.push('db must be a Kysely instance')
  const parsed = checkSettings(ServiceSettings, settings, names, problems)
  return db === undefined ? parsed : { ...parsed, db }
}

/**
 * Reads the settings from the environment; nothing else reads it. `NAME_FILE` may give the path of a file with the
 * secret `NAME`. Throws a StartError that reports all problems at once.
 */
export function optionsFromEnv(env: NodeJS.ProcessEnv): ProcessSettings {
  const problems: string[] = []
  const given: Record<string, unknown> = {}
  const names: OptionNames = {}
  for (const [option, entry] of settingEntries()) {
    names[option] = entry.env
    const text = entry.secret ? readSecret(env, entry.env, problems) : env[entry.env]
    if (text) given[option] = parseValue(entry, text)
    else if (env.NODE_ENV === 'production' && 'production' in entry) given[option] = entry.production
  }
  if (Number(given.workers) > 1 && isInMemory(String(given.database)))
    problems.push('WORKERS must be 1 for a database in memory: each worker would have its own')
  // A short name is often close to another program's variable, and an empty variable counts as absent.
  const known = Object.values(names).filter(name => name.length >= 8)
  const near = Object.keys(env).filter(
    name => env[name] && !Object.values(names).includes(name) && known.some(other => isTypo(name, other))
  )
  return checkSettings(ProcessSettings, given, names, [...problems, ...findUnknownNames(near, known)])
}

/** Converts a variable to the type of its setting. A text of another type stays as it is; the check refuses it. */
function parseValue({ type }: SettingEntry, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

function readSecret(env: NodeJS.ProcessEnv, name: string, problems: string[]): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return env[name]
  if (env[name]) problems.push(`${name} and ${name}_FILE are both set: keep one`)
  try {
    const text = readFileSync(file, 'utf8').trim()
    // Probably a failed mount. Starting without the secret would store keys unencrypted.
    if (text === '') problems.push(`${name}_FILE is empty: ${file}`)
    return text
  } catch (error) {
    problems.push(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
    return undefined
  }
}
