import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { findUnknownNames, isTypo } from '../runtime/nearest.ts'
import type { Setting } from './setting.ts'

/** The flags and variables of a process. CONFIG_FILE may name a file with more settings. */
export interface SettingSources {
  /** Values by flag, without the dashes: `database-url`. */
  flags: Record<string, string>
  env: NodeJS.ProcessEnv
}

/** The place that the value of a setting comes from. */
export interface Origin {
  source: 'flag' | 'variable' | 'file' | 'default'
  /** The flag, the variable, or the path with that of NAME_FILE. For a default, empty or `production`. */
  from: string
}

/** A setting whose environment variable is known. */
export type SettingEntry = Setting & { env: string }

/** One source of settings. The values are by variable. */
interface Layer {
  source: Origin['source']
  values: Record<string, string | undefined>
  /** Writes the name of a variable as this source does, for error messages. */
  nameOf(variable: string): string
  /** The path, if the source is a file. */
  path?: string
}

/** The flag of a variable, without the dashes. */
export const toFlag = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

const toVariable = (flag: string): string => flag.toUpperCase().replaceAll('-', '_')

/** Lists settings by option, each with its environment variable. */
export const listEntries = (settings: Record<string, Setting>): [option: string, entry: SettingEntry][] =>
  Object.entries(settings).map(([option, setting]) => [
    option,
    { ...setting, env: setting.env ?? option.replaceAll(/[A-Z]/g, '_$&').toUpperCase() }
  ])

/**
 * Reads the settings by option. A flag overrides a variable, a variable overrides the file, and the file overrides
 * the default. A secret `NAME` may be in the file that `NAME_FILE` names. Also returns the problems, and the names of
 * the options for error messages.
 */
export function readSources(sources: SettingSources, entries: [string, SettingEntry][]) {
  const problems: string[] = []
  const layers = listLayers(sources, entries, problems)
  const read = (entry: SettingEntry) => readFirst(layers, entry, problems)
  const environment = entries.find(([, { env }]) => env === 'NODE_ENV')?.[1]
  const inProduction = environment && read(environment)?.text === 'production'
  const values: Record<string, unknown> = {}
  const names: Record<string, string> = {}
  const origins: Record<string, Origin> = {}
  for (const [option, entry] of entries) {
    const value = read(entry)
    const isForProduction = !value && inProduction && 'production' in entry
    names[option] = value?.name ?? entry.env
    origins[option] = value?.origin ?? { source: 'default', from: isForProduction ? 'production' : '' }
    if (value?.text !== undefined) values[option] = parseValue(entry, value.text)
    else if (isForProduction) values[option] = entry.production
  }
  return { values, names, origins, problems }
}

function listLayers(
  { flags, env }: SettingSources,
  entries: [string, SettingEntry][],
  problems: string[]
): Layer[] {
  const flagValues = Object.fromEntries(Object.entries(flags).map(([flag, text]) => [toVariable(flag), text]))
  const variables = omitServiceLinks(omitEmpty(env))
  problems.push(...findMistyped(variables, entries))
  const layers: Layer[] = [
    { source: 'flag', values: flagValues, nameOf: variable => `--${toFlag(variable)}` },
    { source: 'variable', values: variables, nameOf: variable => variable }
  ]
  const path = flagValues.CONFIG_FILE ?? variables.CONFIG_FILE
  if (path === undefined) return layers
  // A file cannot name another file.
  const allowed = listVariables(entries).filter(name => name !== 'CONFIG_FILE')
  const values = readConfigFile(path, problems)
  problems.push(...findUnknownNames(Object.keys(values), allowed).map(problem => `${path}: ${problem}`))
  const nameOf = (variable: string) => `${variable} in ${path}`
  return [...layers, { source: 'file', path, values: omitEmpty(values), nameOf }]
}

/** An empty variable counts as absent. */
const omitEmpty = (values: Layer['values']): Layer['values'] =>
  Object.fromEntries(Object.entries(values).filter(([, text]) => text !== undefined && text !== ''))

/** Kubernetes sets such variables in each container: for a service `health`, HEALTH_PORT=tcp://10.0.0.1:80. */
const omitServiceLinks = (values: Layer['values']): Layer['values'] =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, text = '']) => !(name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text))
    )
  )

/** Lists the variables of settings, also the variables that name a file. */
const listVariables = (entries: [string, SettingEntry][]): string[] =>
  entries.flatMap(([, { env, secret }]) => (secret ? [env, `${env}_FILE`] : [env]))

/** Returns a problem for each variable that looks like a misspelled setting. */
function findMistyped(variables: Layer['values'], entries: [string, SettingEntry][]): string[] {
  const names = listVariables(entries)
  return Object.keys(variables).flatMap(name => {
    if (names.includes(name)) return []
    const meant = names.find(setting => isTypo(name, setting))
    return meant === undefined ? [] : [`${name} is not a setting: did you mean ${meant}?`]
  })
}

/** Reads a setting from the first layer that has it. */
function readFirst(layers: Layer[], { env: variable, secret }: SettingEntry, problems: string[]) {
  const fileVariable = `${variable}_FILE`
  for (const { source, values, nameOf, path: file } of layers) {
    const text = values[variable]
    const path = secret ? values[fileVariable] : undefined
    const [name, fileName] = [nameOf(variable), nameOf(fileVariable)]
    if (text !== undefined && path !== undefined)
      problems.push(`${name} and ${fileName} are both set: keep one`)
    if (path !== undefined) {
      const origin: Origin = { source, from: `${file ?? fileName}, ${path}` }
      return { text: readSecret(fileName, path, problems), name: fileName, origin }
    }
    if (text !== undefined) return { text, name, origin: { source, from: file ?? name } }
  }
  return undefined
}

/** Reads a secret from a file, without the line break at its end. */
function readSecret(name: string, path: string, problems: string[]): string | undefined {
  const text = readText(name, path, problems)?.replace(/\r?\n$/, '')
  if (text === undefined || text.trim() !== '') return text
  // An empty file is probably a failed mount. Without the secret, the service would store keys unencrypted.
  problems.push(`${name} is empty: ${path}`)
  return undefined
}

/** Reads a file in UTF-8. Returns undefined and adds a problem if that fails. */
function readText(name: string, path: string, problems: string[]): string | undefined {
  try {
    const bytes = readFileSync(path)
    if (isUtf8(bytes)) return bytes.toString()
    // A secret would lose most of its bits: decoding replaces bytes that are not UTF-8.
    problems.push(`${name} is not a text in UTF-8: ${path}`)
  } catch (error) {
    problems.push(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}`)
  }
  return undefined
}

/** Converts a text to the type of its setting. An unsuitable text stays as it is, and the check refuses it later. */
function parseValue({ type }: Setting, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : text
}

/** Reads a file of settings in JSON or `.env` syntax. Adds errors to `problems`, without values. */
function readConfigFile(path: string, problems: string[]): Record<string, string> {
  const text = readText('CONFIG_FILE', path, problems)
    ?.replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
  if (text === undefined) return {}
  if (!text.trimStart().startsWith('{')) return parseLines(path, text, problems)
  try {
    return parseJsonFile(path, text, problems)
  } catch {
    // The message of the JSON parser is left out, because it quotes the file.
    problems.push(`CONFIG_FILE cannot be read (it is not valid JSON): ${path}`)
    return {}
  }
}

function parseJsonFile(path: string, text: string, problems: string[]): Record<string, string> {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  const wrong = entries.filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))
  problems.push(...wrong.map(([name]) => `${path}: ${name} must be a string, a number or a boolean`))
  const right = entries.filter(entry => !wrong.includes(entry))
  return Object.fromEntries(right.map(([name, value]) => [name, String(value)]))
}

/** A quoted value, which may have several lines. */
const quotedValue = /=[^\S\n]*(["'`])(?:(?!\1).)*\1/gs

/** Parses `.env` syntax as Node.js does. Node.js ignores wrong lines, so they are found here. */
function parseLines(path: string, text: string, problems: string[]): Record<string, string> {
  const lines = text
    .replace(quotedValue, value => `=${'\n'.repeat(value.split('\n').length - 1)}`)
    .split('\n')
  for (const [index, line] of lines.entries())
    if (!/^\s*(#.*|(export\s+)?[A-Za-z_]\w*\s*=.*|)$/.test(line) && line.trim() !== '')
      problems.push(`${path}: line ${index + 1} is not NAME=value`)
  return parseEnv(text) as Record<string, string>
}
