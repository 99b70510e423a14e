import { Option } from 'commander'
import { flagOf, type SettingEntry } from '../../options/sources.ts'
import { settingEntries } from '../../options.ts'
import type { Command } from './command.ts'

/** The settings of every command that opens the store. */
const storeSettings = ['CONFIG_FILE', 'DATABASE_URL']

const group = 'Settings, which may also be variables (--port is PORT):'

/** The flags for settings of a command: `--port` for PORT. */
export function settingFlags(which: Command['settings'] = 'store'): Option[] {
  if (which === 'none') return []
  const entries = settingEntries().map(([, entry]) => entry)
  const wanted = which === 'all' ? entries : entries.filter(({ env }) => storeSettings.includes(env))
  return wanted.flatMap(flagsOf).map(flag => flag.helpGroup(group))
}

function flagsOf(entry: SettingEntry): Option[] {
  const { env, description, secret, minimum, maximum, default: value } = entry
  const flag = `--${flagOf(env)}`
  // Other users of the machine can read a command line, so a secret itself is no argument.
  if (secret === true) return [new Option(`${flag}-file <path>`, `file with the ${description}`)]
  const range = minimum === undefined ? [] : [`${minimum} to ${maximum}`]
  const usual = value === undefined ? [] : [`default: ${value}`]
  const option = new Option(`${flag} <${nameValue(entry)}>`, [description, ...range, ...usual].join('; '))
  // For shells; the settings are checked together.
  const values = entry.type === 'boolean' ? ['true', 'false'] : entry.enum
  if (values) option.argChoices = [...values]
  return secret ? [option, new Option(`${flag}-file <path>`, 'file with that')] : [option]
}

function nameValue({ type, enum: names, env }: SettingEntry): string {
  if (names) return 'name'
  if (type !== 'string') return type === 'integer' ? 'number' : type
  return /FILE|PATH/.test(env) ? 'path' : /URL|GATEWAY|ISSUER/.test(env) ? 'url' : 'text'
}
