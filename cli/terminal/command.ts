import type { SettingSources } from '../../options/sources.ts'

/** An option of a command and its help. */
export interface CommandOption {
  type: 'string' | 'boolean'
  /** May be repeated. */
  multiple?: boolean
  short?: string
  help: string
  /** Placeholder for the value in the help. */
  value?: string
  /** The only values. */
  choices?: readonly string[]
  /** Values for the help and for shells; the command checks what was given. */
  suggestions?: readonly string[]
  /** Heading in the help. */
  group?: string
}

export interface Command {
  /** One line for the list of commands. */
  summary: string
  /** Names of the positional arguments. `[name]` may be omitted; `name...` may be repeated. Both come last. */
  positionals?: string[]
  options?: Record<string, CommandOption>
  /** Which settings are flags too: by default those of the store, the database and the file. */
  settings?: 'all' | 'store' | 'none'
  /** More text for `--help`. */
  details?: string
  run(call: Call): Promise<void>
}

/** The arguments of a command, and where its settings come from. */
export interface Call {
  positionals: string[]
  values: Record<string, string | boolean | (string | boolean)[] | undefined>
  sources: SettingSources
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

/** Reads an integer from `least` to `most`. Throws UsageError that begins with `demand`, such as `<id> must be`. */
export function readInteger(demand: string, given: unknown, least: number, most: number): number {
  const number = /^-?\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${demand} an integer from ${least} to ${most}`)
}

/** Leaves out the fields whose options were not given. */
export const omitAbsent = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The command failed: exit code 1, if it has no other meaning for the command. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
