import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'

/** An option of a command and its help. */
export interface CommandOption extends ParseArgsOptionDescriptor {
  help: string
  /** Placeholder for the value in the help. */
  value?: string
}

export interface Command {
  /** One line for the list of commands. */
  summary: string
  /** Names of the positional arguments. `[name]` may be omitted; `name…` may be repeated. Both come last. */
  positionals?: string[]
  options?: Record<string, CommandOption>
  /** More text for `--help`. */
  details?: string
  run(call: Call): Promise<void>
}

/** The arguments and environment of a command. */
export interface Call {
  positionals: string[]
  values: Record<string, string | boolean | (string | boolean)[] | undefined>
  env: NodeJS.ProcessEnv
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}
/** The command failed: exit code 1. */
export class CommandError extends Error {}

/** Parses the arguments after the command's name. Throws {@link UsageError}. */
export function parseCall(command: Command, words: string[], env: NodeJS.ProcessEnv): Call {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      options: command.options ?? {},
      allowPositionals: true
    })
    const names = command.positionals ?? []
    const missing = names[positionals.length]
    if (missing && !missing.startsWith('[')) throw new UsageError(`<${missing}> is missing`)
    if (positionals.length > names.length && !names.at(-1)?.endsWith('…'))
      throw new UsageError(`unexpected argument "${positionals[names.length]}"`)
    return { values, positionals, env }
  } catch (error) {
    if (error instanceof UsageError) throw error
    // The messages of parseArgs name the option, never a value.
    throw new UsageError((error as Error).message.split('. ')[0])
  }
}

/** Formats the text of `--help`. */
export function formatHelp(name: string, command: Command): string {
  const words = (command.positionals ?? []).map(name => (name.startsWith('[') ? name : `<${name}>`))
  const options = Object.entries({ ...command.options, help: { help: 'show this text' } as CommandOption })
  const lines = options.map(([option, { short, value, help }]) => {
    const flag = `${short ? `-${short}, ` : ''}--${option}${value ? ` <${value}>` : ''}`
    return `  ${flag.padEnd(26)} ${help}`
  })
  const usage = ['product-templates', name, ...words, '[options]'].join(' ')
  const details = command.details ? `\n${command.details.trim()}\n` : ''
  return `${command.summary}\n\nUsage: ${usage}\n\nOptions:\n${lines.join('\n')}\n${details}`
}
