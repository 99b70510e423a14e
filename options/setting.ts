/** Makes settings. A setting has the type, the check, the default and the documentation of an option. */
import { hidePasswords } from '../db/url.ts'
import { StartError } from '../errors.ts'

/** The check of an option. */
export interface Rule<Value = unknown> {
  /** Describes a valid value, for error messages. */
  expected: string
  isValid(value: unknown): value is Value
  default?: Value
  /**
   * Whether the value is never printed; with `password`, only the passwords in it are not. `NAME_FILE` may name a
   * file with the value.
   */
  secret?: boolean | 'password'
}

export interface Setting<Value = unknown> extends Rule<Value> {
  type: 'boolean' | 'integer' | 'string'
  description: string
  /** The default of the command if NODE_ENV is `production`. */
  production?: Value
  /** The environment variable, if it is not the name of the option in capitals. */
  env?: string
  minimum?: number
  maximum?: number
  enum?: readonly string[]
}

/** The definition of a setting. The type parameter `F` below keeps whether there is a default. */
type Facts<Value> = Pick<Setting<Value>, 'description' | 'default' | 'production' | 'env' | 'secret'>

/** The values of options. Those without a default are optional. */
export type Values<Rules> = {
  [Name in keyof Rules as Rules[Name] extends { default: unknown } ? Name : never]: ValueOf<Rules[Name]>
} & {
  [Name in keyof Rules as Rules[Name] extends { default: unknown } ? never : Name]?: ValueOf<Rules[Name]>
}
type ValueOf<R> = R extends { isValid(value: unknown): value is infer Value } ? Value : never

export const integer = <F extends Facts<number>>(
  [minimum, maximum]: [number, number],
  facts: F
): Setting<number> & F => ({
  type: 'integer',
  minimum,
  maximum,
  expected: `an integer from ${minimum} to ${maximum}`,
  isValid: (value): value is number =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
  ...facts
})

export const flag: Rule<boolean> = {
  expected: 'true or false',
  isValid: value => typeof value === 'boolean'
}

export const boolean = <F extends Facts<boolean>>(facts: F): Setting<boolean> & F => ({
  ...flag,
  type: 'boolean',
  ...facts
})

export const choice = <const Name extends string, F extends Facts<Name>>(
  names: readonly Name[],
  facts: F
): Setting<Name> & F => ({
  type: 'string',
  enum: names,
  expected: `one of ${names.join(', ')}`,
  isValid: (value): value is Name => names.includes(value as Name),
  ...facts
})

export const text = <F extends Facts<string> & { expected: string }>(
  isValidText: (text: string) => boolean,
  facts: F
): Setting<string> & F => ({
  type: 'string',
  isValid: (value): value is string => typeof value === 'string' && isValidText(value),
  ...facts
})

export const path = (description: string) => text(path => path !== '', { description, expected: 'a path' })

/** A setting that is JSON, or the path of a file with JSON. `readJson` checks the contents. */
export const json = <F extends Facts<string>>(kind: 'array' | 'object', facts: F) =>
  text(value => value.trim() !== '', { ...facts, expected: `a JSON ${kind} or the path of a file` })

export const hostName = <F extends Facts<string>>(facts: F) =>
  text(host => host !== '', { ...facts, expected: 'a host name or an address' })

const mask = '***'

/** Masks a secret, or the password in a URL, so that the value may be shown. */
export function maskValue({ secret }: Pick<Setting, 'secret'>, value: unknown): unknown {
  if (value === undefined || !secret) return value
  return secret === 'password' ? (hidePasswords(String(value), mask) ?? mask) : mask
}

/** Reports all problems of the settings at once. */
export class SettingsError extends StartError {
  readonly problems: string[]

  constructor(problems: string[]) {
    super('PTS_BAD_OPTION', problems.join('; '))
    this.problems = problems
  }
}

/**
 * Checks the values, adds the defaults and freezes the result. Throws a SettingsError with all problems: first the
 * given `problems`, then the wrong values. `names` are the names of options for the messages, such as `--port`.
 */
export function checkSettings<Rules extends Record<string, Rule>>(
  rules: Rules,
  given: Readonly<Record<string, unknown>>,
  { names = {}, problems = [] }: { names?: Record<string, string>; problems?: string[] }
): Values<Rules> {
  const values = { ...given }
  const wrong: string[] = []
  for (const [option, rule] of Object.entries(rules)) {
    if (values[option] === undefined && 'default' in rule) values[option] = rule.default
    const value = values[option]
    if (value === undefined || rule.isValid(value)) continue
    const got = rule.secret ? '' : `, not ${JSON.stringify(value)}`
    wrong.push(`${names[option] ?? option} must be ${rule.expected}${got}`)
  }
  const all = [...problems, ...wrong]
  if (all.length > 0) throw new SettingsError(all)
  return Object.freeze(values) as Values<Rules>
}
