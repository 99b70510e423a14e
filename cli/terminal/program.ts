import { Command as Commander, CommanderError, Option, type OutputConfiguration } from 'commander'
import { type Call, type Command, type CommandOption, UsageError } from './command.ts'
import { settingFlags } from './setting-flags.ts'

/** Every command by its words, `user add`. Those that the call does not need are not loaded. */
export type Commands = Record<string, Command | undefined>

export interface ProgramOptions {
  version: string
  /** One line for each group of commands. */
  groups: Record<string, string>
  env: NodeJS.ProcessEnv
}

/** Builds the program. Its help, its suggestions and the reading of arguments are Commander's. */
export function buildProgram(
  commands: Commands,
  { version, groups, env }: ProgramOptions,
  output: OutputConfiguration = {}
): Commander {
  const program = new Commander('product-templates')
    .description('GraphQL service for product templates, behind OAuth 2.0 tokens')
    .version(version, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show the help of a command')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output)
    .configureHelp({ minWidthToWrap: 30 })
    .addHelpText('after', '\nSettings are flags, variables or a file, listed in docs/configuration.md.')
  for (const [name, command] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ')
    const parent = second === undefined ? program : findOrAdd(program, first, groups[first])
    const leaf = findOrAdd(parent, second ?? first, command?.summary)
    if (command) define(leaf, command, env)
  }
  return program
}

/** Runs the command that the words name. Throws UsageError for wrong words. */
export async function runProgram(
  commands: Commands,
  words: string[],
  options: ProgramOptions
): Promise<void> {
  let help = ''
  // Errors are thrown, and printed in one place.
  const output = {
    outputError: () => {},
    writeErr: (text: string) => {
      help += text
    }
  }
  try {
    await buildProgram(commands, options, output).parseAsync(withoutHelp(commands, words), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    if (error.code === 'commander.help') throw new UsageError(`a command is missing\n\n${help.trimEnd()}`)
    throw new UsageError(toLine(error.message))
  }
}

/** `help user add` is `user add --help`; Commander's own help knows no command in a group. */
function withoutHelp(commands: Commands, words: string[]): string[] {
  if (words[0] !== 'help') return words
  const name = words.slice(1).join(' ')
  const isKnown = Object.keys(commands).some(known => `${known} `.startsWith(`${name} `))
  return name === '' || isKnown ? [...words.slice(1), '--help'] : words.slice(1)
}

/** "error: unknown option '--prot=1'\n(Did you mean --port?)" in one line, without the value: it may be a secret. */
const toLine = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/^(unknown (?:option|command) '[^'=:]*)[=:].*'/s, "$1'")
    .replace(/\n\(Did you mean (.*)\?\)$/s, ': did you mean $1?')
    .replaceAll('\n', ' ')

function findOrAdd(parent: Commander, name: string, summary = ''): Commander {
  const found = parent.commands.find(command => command.name() === name)
  const command = found ?? parent.command(name).helpOption('-h, --help', 'show this text').helpCommand(false)
  return summary === '' ? command : command.description(summary)
}

/** Adds arguments, options and the action of a command. */
function define(leaf: Commander, command: Command, env: NodeJS.ProcessEnv): void {
  for (const name of command.positionals ?? []) leaf.argument(name)
  const flags = settingFlags(command.settings)
  const options = { ...command.options, ...flags }
  for (const [name, option] of Object.entries(options)) leaf.addOption(toOption(name, option))
  if (command.details) leaf.addHelpText('after', `\n${command.details.trim()}`)
  leaf.action(async () => {
    const given = Object.entries(leaf.opts())
    const isFlag = ([name]: [string, unknown]) => Object.hasOwn(flags, name)
    const sources = { flags: Object.fromEntries(given.filter(isFlag)), env }
    const values: Call['values'] = Object.fromEntries(given.filter(entry => !isFlag(entry)))
    await command.run({ positionals: leaf.args, values, sources })
  })
}

/** An option whose value has its long name. `--no-data` is a name of its own, not the opposite of `--data`. */
class NamedOption extends Option {
  override negate = false
  override attributeName = () => this.name()
}

function toOption(name: string, settings: CommandOption): Option {
  const { type, short, value, help, choices, suggestions, multiple, group } = settings
  const long = `${short ? `-${short}, ` : ''}--${name}`
  const option = new NamedOption(type === 'string' ? `${long} <${value ?? 'text'}>` : long, help)
  if (choices) option.choices(choices)
  if (suggestions) option.argChoices = [...suggestions]
  if (multiple) {
    const checkChoice = option.parseArg
    option.argParser((text: string, before: string[] = []) => {
      checkChoice?.(text, undefined)
      return [...before, text]
    })
  }
  return group ? option.helpGroup(group) : option
}
