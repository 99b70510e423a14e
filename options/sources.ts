import { readFileSync } from 'node:fs'
import { findUnknownNames, isTypo, type OptionNames, type SettingEntry } from './check.ts'
import { readConfigFile } from './config-file.ts'

/** What a process was started with. The variable or flag CONFIG_FILE may name a file with more. */
export interface SettingSources {
  /** Values by flag, without the dashes: `database-url`. */
  flags: Record<string, string>
  env: NodeJS.ProcessEnv
}

/** Where the value of a setting comes from. */
export interface Origin {
  source: 'flag' | 'variable' | 'file' | 'default'
  /** The flag, the variable or the path; with NAME_FILE also the path of that file. Empty for a plain default. */
  from: string
}

/** The settings as they were given, by option. */
export interface GivenSettings {
  given: Record<string, unknown>
  /** How error messages name each option: as it was given. */
  names: OptionNames
  origins: Record<string, Origin>
  problems: string[]
}

/** One place that settings come from; values by variable. */
interface Layer {
  source: Origin['source']
  values: Record<string, string | undefined>
  /** Names a variable of this place in an error message. */
  name(variable: string): string
  /** Names where a value comes from. */
  from(variable: string): string
}

/** The flag of a variable, without the dashes. */
export const flagOf = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

const variableOf = (flag: string): string => flag.toUpperCase().replaceAll('-', '_')

/**
 * Reads the settings: a flag comes before a variable, a variable before the file, the file before the default. A secret
 * `NAME` may be in the file that `NAME_FILE` names.
 */
export function readSources(sources: SettingSources, entries: [string, SettingEntry][]): GivenSettings {
  const problems: string[] = []
  const layers = listLayers(sources, entries, problems)
  const read = (entry: SettingEntry) => readFirst(layers, entry, problems)
  const environment = entries.find(([, { env }]) => env === 'NODE_ENV')?.[1]
  const inProduction = environment && read(environment)?.text === 'production'
  const found: GivenSettings = { given: {}, names: {}, origins: {}, problems }
  for (const [option, entry] of entries) {
    const value = read(entry)
    found.names[option] = value?.name ?? entry.env
    found.origins[option] = value?.origin ?? { source: 'default', from: '' }
    if (value) found.given[option] = parseValue(entry, value.text)
    else if (inProduction && 'production' in entry) {
      found.given[option] = entry.production
      found.origins[option] = { source: 'default', from: 'production' }
    }
  }
  // A secret that cannot be read is read for several reasons.
  return { ...found, problems: [...new Set(problems)] }
}

function listLayers(
  { flags, env }: SettingSources,
  entries: [string, SettingEntry][],
  problems: string[]
): Layer[] {
  const names = entries.map(([, entry]) => entry.env)
  const flagLayer: Layer = {
    source: 'flag',
    values: Object.fromEntries(Object.entries(flags).map(([flag, text]) => [variableOf(flag), text])),
    name: variable => `--${flagOf(variable)}`,
    from: variable => `--${flagOf(variable)}`
  }
  const variables: Layer = {
    source: 'variable',
    values: withoutEmpty(env),
    name: variable => variable,
    from: variable => variable
  }
  // A short name is often close to another program's variable.
  const long = names.filter(name => name.length >= 8)
  const near = Object.keys(variables.values).filter(
    name => !names.includes(name) && long.some(other => isTypo(name, other))
  )
  problems.push(...findUnknownNames(near, long))
  const path = flagLayer.values.CONFIG_FILE ?? variables.values.CONFIG_FILE
  if (path === undefined) return [flagLayer, variables]
  const values = withoutEmpty(readConfigFile(path, listNames(entries), problems))
  return [
    flagLayer,
    variables,
    { source: 'file', values, name: name => `${name} in ${path}`, from: () => path }
  ]
}

/** Lists the names that a file may have. It cannot name another file. */
const listNames = (entries: [string, SettingEntry][]): string[] =>
  entries
    .flatMap(([, { env, secret }]) => (secret ? [env, `${env}_FILE`] : [env]))
    .filter(name => name !== 'CONFIG_FILE')

/** An empty variable counts as absent. */
const withoutEmpty = (values: Layer['values']): Layer['values'] =>
  Object.fromEntries(Object.entries(values).filter(([, text]) => text !== undefined && text !== ''))

/** Reads a setting from the first layer that has it. */
function readFirst(layers: Layer[], { env: variable, secret }: SettingEntry, problems: string[]) {
  const fileVariable = `${variable}_FILE`
  for (const layer of layers) {
    const text = layer.values[variable]
    const path = secret ? layer.values[fileVariable] : undefined
    if (text !== undefined && path !== undefined)
      problems.push(`${layer.name(variable)} and ${layer.name(fileVariable)} are both set: keep one`)
    const { source } = layer
    if (path !== undefined) {
      const name = layer.name(fileVariable)
      const from = `${layer.from(fileVariable)}, ${path}`
      return { text: readSecret(name, path, problems), name, origin: { source, from } }
    }
    if (text !== undefined)
      return { text, name: layer.name(variable), origin: { source, from: layer.from(variable) } }
  }
  return undefined
}

/** Reads a secret from a file, without the newline at its end; undefined with a problem. */
function readSecret(name: string, path: string, problems: string[]): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    if (text.trim() !== '') return text
    // Probably a failed mount. Starting without the secret would store keys unencrypted.
    problems.push(`${name} is empty: ${path}`)
  } catch (error) {
    problems.push(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`)
  }
  return undefined
}

/** Converts a text to the type of its setting. A text of another type stays as it is; the check refuses it. */
function parseValue({ type }: SettingEntry, text: string | undefined): unknown {
  if (text === undefined) return undefined
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}
