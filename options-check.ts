import { isIP } from 'node:net'
import leven from 'leven'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { StartError } from './errors.ts'

/** An entry of the schema of all settings. */
export interface SettingEntry extends Record<string, unknown> {
  env: string
  description: string
  default?: unknown
  /** The default of the process when NODE_ENV is `production`. */
  production?: unknown
  secret?: boolean
  /** What a good value is, where the schema does not say it in words. */
  expected?: string
}

/** What the reader of a complaint calls an option: its own name, or that of its variable. */
export type OptionNames = { [option: string]: string }

/** The settings with their defaults, frozen. Throws StartError that names all problems at once. */
export function check<S extends TSchema>(
  schema: S,
  given: object,
  names: OptionNames,
  problems: string[]
): Static<S> {
  const { properties } = schema as unknown as { properties: Record<string, TSchema> }
  const value = Value.Default(schema, { ...given }) as Record<string, unknown>
  const wrong = Object.entries(properties)
    .filter(([option, entry]) => value[option] !== undefined && !Value.Check(entry, value[option]))
    .map(([option, entry]) =>
      complaint(names[option] ?? option, entry as unknown as SettingEntry, value[option])
    )
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new StartError('PTS_BAD_OPTION', all.join('; '))
  return Object.freeze(value) as Static<S>
}

function complaint(name: string, entry: SettingEntry, value: unknown): string {
  const got = entry.secret ? '' : `, not ${JSON.stringify(value)}`
  return `${name} must be ${expected(entry)}${got}`
}

function expected(entry: SettingEntry): string {
  if (entry.expected) return entry.expected
  if (entry.enum) return `one of ${(entry.enum as string[]).join(', ')}`
  return `an integer from ${entry.minimum} to ${entry.maximum}`
}

/** A problem for each name that is not known, with the one that may have been meant. */
export function unknownNames(given: string[], known: string[]): string[] {
  return given
    .filter(name => !known.includes(name))
    .map(name => {
      const near = nearest(name, known)
      return `${name} is not a setting${near ? `: did you mean ${near}?` : ''}`
    })
}

/** The known name at most two slips away, for "did you mean". */
export function nearest(name: string, known: string[]): string | undefined {
  const ranked = known.map(candidate => ({ candidate, slips: leven(name, candidate) }))
  return ranked.sort((a, b) => a.slips - b.slips).find(({ slips }) => slips <= 2)?.candidate
}

/**
 * Whether one name is the other with a letter missing, one too many, or two swapped. Another letter makes another
 * name: DATABASE_URI is some other program's.
 */
export function isSlip(name: string, known: string): boolean {
  const apart = leven(name, known)
  const sameLetters = [...name].sort().join() === [...known].sort().join()
  return name.length === known.length ? apart === 2 && sameLetters : apart === 1
}

/** Whether a text is a list of addresses, networks and the names that Fastify's `trustProxy` has for some. */
export const isNetworkList = (text: string): boolean => text.split(',').every(part => isNetwork(part.trim()))

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (bits === 0 || address.includes('%') || more.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}
