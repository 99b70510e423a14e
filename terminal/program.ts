import { Command as Commander, CommanderError, Option, type OutputConfiguration } from 'commander'
import { listSettings } from '../options/index.ts'
import { type SettingEntry, toFlag } from '../options/sources.ts'
import { readVersion } from '../runtime/package/package-files.ts'
import { type Command, type OptionDetails, UsageError } from './command.ts'

/** The commands by their names. */
export type Commands = Record<string, Command>

/** Builds the program. Commander provides the help, the suggestions and the parsing of arguments. */
export function buildProgram(
  commands: Commands,
  env: NodeJS.ProcessEnv,
  output: OutputConfiguration = {}
): Commander {
  const program = new Commander('product-templates')
    .description('GraphQL service for product templates, behind OAuth 2.0 tokens')
    .version(readVersion(), '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show this text')
    .helpCommand('help [command]', 'Show the help of a command')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output)
    .configureHelp({ minWidthToWrap: 30 })
    .addHelpText(
      'after',
      '\nSettings are flags, environment variables or a file; docs/configuration.md lists them.'
    )
  addCommands(program, commands, env)
  return program
}

/** Runs the command that the words name. Throws UsageError for wrong words. */
export async function runProgram(commands: Commands, words: string[], env: NodeJS.ProcessEnv): Promise<void> {
  let help = ''
  // Commander prints no errors: `dispatch` prints all of them.
  const program = buildProgram(commands, env, {
    outputError: () => {},
    writeErr: text => {
      help += text
    }
  })
  try {
    await program.parseAsync(rewriteHelp(program, words), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    if (error.code === 'commander.help') throw new UsageError(`a command is missing\n\n${help.trimEnd()}`)
    throw new UsageError(toOneLine(error.message))
  }
}

/** Rewrites `help user add` to `user add --help`, because Commander's own `help` does not find commands in groups. */
function rewriteHelp(program: Commander, words: string[]): string[] {
  const [first, ...names] = words
  if (first !== 'help') return words
  let command = program
  for (const name of names) {
    const found = command.commands.find(each => each.name() === name)
    // The error for an unknown command suggests a similar one.
    if (!found && command.commands.length > 0) return names
    command = found ?? command
  }
  return [...names, '--help']
}

/** Formats "error: unknown option '--prot=1'\n(Did you mean --port?)" as one line, without the secret value. */
const toOneLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/^(unknown (?:option|command) '[^'=:]*)[=:].*'/s, "$1'")
    .replace(/\n\(Did you mean (.*)\?\)$/s, ': did you mean $1?')
    .replaceAll('\n', ' ')

function addCommands(parent: Commander, commands: Commands, env: NodeJS.ProcessEnv): void {
  for (const [name, command] of Object.entries(commands)) {
    const added = parent
      .command(name)
      .description(command.summary)
      .helpOption('-h, --help', 'show this text')
      .helpCommand(false)
    addCommands(added, command.subcommands ?? {}, env)
    if (command.run) setUp(added, command, env)
  }
}

/** Adds arguments, options and the action of a command. */
function setUp(leaf: Commander, { args, options, settings, details, run }: Command, env: NodeJS.ProcessEnv) {
  if (args) leaf.arguments(args)
  for (const [flags, help] of Object.entries(options ?? {})) leaf.addOption(toOption(flags, help))
  const settingOptions = makeSettingFlags(settings)
  for (const option of settingOptions) leaf.addOption(option)
  if (details) leaf.addHelpText('after', `\n${details.trim()}`)
  leaf.action(async () => {
    const options = { ...leaf.opts() }
    const flags: Record<string, string> = {}
    for (const option of settingOptions) {
      const name = option.attributeName()
      if (name in options) flags[option.name()] = options[name]
      delete options[name]
    }
    await run?.({ options, sources: { flags, env } }, ...leaf.args)
  })
}

function toOption(flags: string, help: string | OptionDetails): Option {
  if (typeof help === 'string') return new Option(flags, help)
  const option = new Option(flags, help.help)
  if (help.choices) option.choices(help.choices)
  if (help.multiple) {
    const checkChoice = option.parseArg
    option.argParser((text: string, before: string[] = []) => {
      checkChoice?.(text, undefined)
      return [...before, text]
    })
  }
  return option
}

/** The settings of every command that opens the store. */
const storeSettings = ['CONFIG_FILE', 'DATABASE_URL']

const group = 'Settings, which may also be environment variables (PORT for --port):'

/** Makes the flags for the settings of a command: `--port` for PORT. */
function makeSettingFlags(which: Command['settings'] = 'store'): Option[] {
  if (which === 'none') return []
  const entries = listSettings().map(([, entry]) => entry)
  const wanted = which === 'all' ? entries : entries.filter(({ env }) => storeSettings.includes(env))
  return wanted.flatMap(makeFlags).map(flag => flag.helpGroup(group))
}

function makeFlags(entry: SettingEntry): Option[] {
  const { env, description, secret, minimum, maximum, default: value } = entry
  const flag = `--${toFlag(env)}`
  // Other users of the machine can read a command line, so a secret must be in a file.
  if (secret === true)
    return [new Option(`${flag}-file <path>`, `file containing this value: ${description}`)]
  const range = minimum === undefined ? [] : [`${minimum} to ${maximum}`]
  const usual = value === undefined ? [] : [`default: ${value}`]
  const option = new Option(`${flag} <${nameValue(entry)}>`, [description, ...range, ...usual].join('; '))
  // These choices are only for the completion in shells. All settings are checked together later.
  const values = entry.type === 'boolean' ? ['true', 'false'] : entry.enum
  if (values) option.argChoices = [...values]
  return secret ? [option, new Option(`${flag}-file <path>`, 'file containing this value')] : [option]
}

function nameValue({ type, enum: names, env }: SettingEntry): string {
  if (names) return 'name'
  if (type !== 'string') return type === 'integer' ? 'number' : type
  return /FILE|PATH/.test(env) ? 'path' : /URL|GATEWAY|^ISSUER$/.test(env) ? 'url' : 'text'
}
