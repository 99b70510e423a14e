import type { OptionValues } from 'commander'
import { maxOverlap } from '../accounts/credentials/overlap.ts'
import { toStoredTime } from '../domain/timestamp.ts'
import type { SettingSources } from '../options/sources.ts'

/** Options by their flags, as Commander writes them: `--limit <count>`. A string is the help of the option. */
export type Options = Record<string, string | OptionDetails>

export interface OptionDetails {
  help: string
  /** The allowed values. */
  choices?: readonly string[]
  /** Whether the option may be repeated. Its value is then a list. */
  multiple?: boolean
}

export interface Command {
  /** One line for the list of commands. */
  summary: string
  /** The arguments, as Commander writes them: `<id> [file...]`. */
  args?: string
  options?: Options
  /** Which settings are also flags: by default those of the store, which are CONFIG_FILE and DATABASE_URL. */
  settings?: 'all' | 'store' | 'none'
  /** More text for `--help`. */
  details?: string
  /** Absent if the command is a group, which only has subcommands. */
  run?(call: Call, ...args: string[]): Promise<void>
  subcommands?: Record<string, Command>
}

/** The options and settings of a call. */
export interface Call {
  /** The values by Commander's names: `firstParty` for `--first-party`. */
  options: OptionValues
  /** The flags and variables that settings are read from. */
  sources: SettingSources
}

/** A failure of a command. The exit code is 1 unless the command defines another one. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** Wrong usage of a command. The exit code is 2. */
export class UsageError extends CommandError {
  constructor(message: string) {
    super(message, 2)
  }
}

/** Reads an integer from `least` to `most`. Throws UsageError with the name of the option or argument. */
export function readInteger(name: string, given: string | number, least: number, most: number): number {
  const number = /^-?\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${name} must be an integer from ${least} to ${most}`)
}

/** Reads a time from an option. A date means its first moment; the seconds are optional. Throws UsageError. */
export function readTime(option: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const time = given.includes('T') ? given : `${given}T00:00Z`
  const stored = toStoredTime(time.replace(/(T\d\d:\d\d)(?=[.Z])/, '$1:00'))
  if (stored !== undefined) return stored
  throw new UsageError(`${option} takes a UTC time such as 2026-01-31 or 2026-01-31T09:30:00Z`)
}

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Reads the duration of `--overlap`, such as `90s`, `30m`, `1h` or `7d`; returns seconds. Throws UsageError. */
export function readOverlap(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(number) * (units[unit] ?? 0)
  if (!(seconds >= 1 && seconds <= maxOverlap))
    throw new UsageError(`--overlap takes a duration such as 30m, 1h or 7d, at most ${maxOverlap / 86_400}d`)
  return seconds
}

/** Reads the option `--where`. Throws UsageError. */
export function parseWhere(json: string): object {
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError('--where must be JSON, such as {"componentName":{"equals":"TrackingRecord"}}')
  }
}

/** Leaves out the fields whose options were not given. */
export const omitAbsent = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
