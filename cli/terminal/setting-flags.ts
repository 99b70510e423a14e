import { flagOf, type SettingEntry } from '../../options/sources.ts'
import { settingEntries } from '../../options.ts'
import type { Command, CommandOption } from './command.ts'

/** The settings of every command that opens the store. */
const storeSettings = ['CONFIG_FILE', 'DATABASE_URL']

/** The flags for settings of a command: `--port` for PORT. */
export function settingFlags(which: Command['settings'] = 'store'): Record<string, CommandOption> {
  if (which === 'none') return {}
  const entries = settingEntries().map(([, entry]) => entry)
  const wanted = which === 'all' ? entries : entries.filter(({ env }) => storeSettings.includes(env))
  return Object.fromEntries(wanted.flatMap(flagsOf))
}

const group = 'Settings, which may also be variables (--port is PORT):'

function flagsOf(entry: SettingEntry): [flag: string, option: CommandOption][] {
  const { env, description, secret, minimum, maximum, default: value } = entry
  const range = minimum === undefined ? [] : [`${minimum} to ${maximum}`]
  const usual = value === undefined ? [] : [`default: ${value}`]
  const help = [description, ...range, ...usual].join('; ')
  const plain: CommandOption = { type: 'string', help, group, ...describeValue(entry) }
  const file: CommandOption = { type: 'string', value: 'path', help: 'file with that', group }
  // Other users of the machine can read a command line, so a secret itself is no argument.
  if (secret === true) return [[`${flagOf(env)}-file`, { ...file, help: `file with the ${description}` }]]
  const flags: [string, CommandOption][] = [[flagOf(env), plain]]
  return secret ? [...flags, [`${flagOf(env)}-file`, file]] : flags
}

function describeValue({ type, enum: names, env }: SettingEntry): Partial<CommandOption> {
  if (names) return { value: 'name', suggestions: [...names] }
  if (type === 'boolean') return { value: 'boolean', suggestions: ['true', 'false'] }
  if (type === 'integer') return { value: 'number' }
  return { value: /FILE|PATH/.test(env) ? 'path' : /URL|GATEWAY|ISSUER/.test(env) ? 'url' : 'text' }
}
