import { isIP } from 'node:net'
import leven from 'leven'
import type { Static, TSchema } from 'typebox'
import { StartError } from '../errors.ts'
import { findNearest } from './nearest.ts'
import { matches } from './types.ts'

/** A setting in the schema of all settings. */
export interface SettingEntry extends Record<string, unknown> {
  env: string
  description: string
  default?: unknown
  /** Default of the process if NODE_ENV is `production`. */
  production?: unknown
  /** Never printed. `password`: only the passwords in it. `NAME_FILE` may name a file with the value. */
  secret?: boolean | 'password'
  /** Describes a valid value, for error messages; derived from the schema if omitted. */
  expected?: string
}

/** Names of the options in error messages: the option itself or its environment variable. */
export type OptionNames = { [option: string]: string }

/** Everything that is wrong with the settings. */
export class SettingsError extends StartError {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('PTS_BAD_OPTION', problems.join('; '))
    this.problems = problems
  }
}

/** Returns the settings with their defaults, frozen. Throws a SettingsError that reports all problems at once. */
export function checkSettings<S extends TSchema>(
  schema: S,
  given: object,
  names: OptionNames,
  problems: string[]
): Static<S> {
  const { properties } = schema as unknown as { properties: Record<string, TSchema> }
  const value: Record<string, unknown> = { ...given }
  for (const [option, entry] of Object.entries(properties))
    if (value[option] === undefined && 'default' in entry) value[option] = entry.default
  const wrong = Object.entries(properties)
    .filter(([option, entry]) => value[option] !== undefined && !matches(entry, value[option]))
    .map(([option, entry]) =>
      formatProblem(names[option] ?? option, entry as unknown as SettingEntry, value[option])
    )
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new SettingsError(all)
  return Object.freeze(value) as Static<S>
}

function formatProblem(name: string, entry: SettingEntry, value: unknown): string {
  const got = entry.secret ? '' : `, not ${JSON.stringify(value)}`
  return `${name} must be ${describeExpected(entry)}${got}`
}

function describeExpected(entry: SettingEntry): string {
  if (entry.expected) return entry.expected
  if (entry.enum) return `one of ${(entry.enum as string[]).join(', ')}`
  return `an integer from ${entry.minimum} to ${entry.maximum}`
}

/** Returns a problem for each unknown name, with the closest known one. */
export function findUnknownNames(given: string[], known: string[]): string[] {
  return given
    .filter(name => !known.includes(name))
    .map(name => {
      const near = findNearest(name, known)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })
}

/**
 * Whether a name is `known` with one letter missing, one extra, or two swapped. A replaced letter does not count:
 * DATABASE_URI belongs to some other program.
 */
export function isTypo(name: string, known: string): boolean {
  // Each variable of the environment is compared with each setting; most differ in length.
  if (Math.abs(name.length - known.length) > 1) return false
  const edits = leven(name, known)
  if (name.length !== known.length) return edits === 1
  return edits === 2 && [...name].sort().join() === [...known].sort().join()
}

/** Whether a value is a Kysely instance, of whichever copy of the package. */
export function isKysely(value: unknown): boolean {
  const methods = ['selectFrom', 'transaction', 'getExecutor']
  return methods.every(name => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
}

/** Whether a text is a list of addresses, networks and Fastify's names for networks, as in `trustProxy`. */
export const isNetworkList = (text: string): boolean => text.split(',').every(part => isNetwork(part.trim()))

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (bits === 0 || address.includes('%') || more.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}

/** Whether a text is a list of origins, as browsers send them, or `*`. */
export const isOriginList = (text: string): boolean =>
  text.trim() === '*' || text.split(',').every(part => isOrigin(part.trim()))

const isOrigin = (text: string): boolean =>
  /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
