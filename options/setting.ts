/** Makes settings. A setting has the type, the check, the default and the documentation of an option. */
import { isIP } from 'node:net'
import { hidePasswords } from '../db/url.ts'
import { StartError } from '../runtime/host-errors.ts'

/** The check of an option. */
export interface OptionCheck<Value = unknown> {
  /** Describes a valid value, for error messages. */
  expected: string
  isValid(value: unknown): value is Value
  default?: Value
  /** Whether the value, or only its `password`, is never printed. `NAME_FILE` may name a file with the value. */
  secret?: boolean | 'password'
}

export interface Setting<Value = unknown> extends OptionCheck<Value> {
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

/** Settings by the names of their options. */
export type Settings = Record<never, Setting>

/** The values of options. Those without a default are optional. */
export type Values<Checks> = {
  [Name in keyof Checks as Checks[Name] extends HasDefault ? Name : never]: ValueOf<Checks[Name]>
} & {
  [Name in keyof Checks as Checks[Name] extends HasDefault ? never : Name]?: ValueOf<Checks[Name]>
}
type HasDefault = { default: string | number | boolean }
type ValueOf<R> = R extends { isValid(value: unknown): value is infer Value } ? Value : never

/** Makes a setting that still needs its description. The type keeps whether there is a default. */
const makeSetting = <Value, Default extends Value | undefined>(
  facts: Omit<Setting<Value>, 'default' | 'description'>,
  value: Default
) => ({
  describe(description: string, more: Pick<Setting<Value>, 'env' | 'production' | 'secret'> = {}) {
    const setting = { ...facts, ...(value !== undefined && { default: value }), description, ...more }
    return setting as Setting<Value> & { default: Default }
  }
})

export const integer = <Default extends number | undefined = undefined>(
  [minimum, maximum]: [number, number],
  value: Default = undefined as Default
) =>
  makeSetting<number, Default>(
    {
      type: 'integer',
      minimum,
      maximum,
      expected: `an integer from ${minimum} to ${maximum}`,
      isValid: (value): value is number =>
        Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
    },
    value
  )

export const trueOrFalse: OptionCheck<boolean> = {
  expected: 'true or false',
  isValid: value => typeof value === 'boolean'
}

export const boolean = <Default extends boolean | undefined = undefined>(
  value: Default = undefined as Default
) => makeSetting<boolean, Default>({ ...trueOrFalse, type: 'boolean' }, value)

export const choice = <const Name extends string>(names: readonly Name[], value: Name) =>
  makeSetting<Name, Name>(
    {
      type: 'string',
      enum: names,
      expected: `one of ${names.join(', ')}`,
      isValid: (value): value is Name => names.includes(value as Name)
    },
    value
  )

export const text = <Default extends string | undefined = undefined>(
  isValidText: (text: string) => boolean,
  expected: string,
  value: Default = undefined as Default
) =>
  makeSetting<string, Default>(
    {
      type: 'string',
      expected,
      isValid: (value): value is string => typeof value === 'string' && isValidText(value)
    },
    value
  )

export const path = text(path => path !== '', 'a path')

/** A setting that is JSON, or the path of a file with JSON. `readJson` checks the contents. */
export const json = (kind: 'array' | 'object') =>
  text(value => value.trim() !== '', `a JSON ${kind} or the path of a file`)

/** Whether a text is a network such as `10.1.0.0/16`, whose prefix has at least `shortest` bits. */
export function isNetwork(text: string, { shortest = 0, mayBeAddress = false } = {}): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const longest = { 4: 32, 6: 128 }[isIP(address)]
  if (longest === undefined || address.includes('%') || more.length > 0) return false
  if (bits === undefined) return mayBeAddress
  return /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) >= shortest && Number(bits) <= longest
}

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

interface CheckOptions<Checks> {
  /** The names of options for the messages, such as `--port`. */
  names?: Record<string, string>
  /** The problems that are already known. */
  problems?: string[]
  /** Finds values that contradict each other, if all values are right. */
  findContradictions?(values: Values<Checks>, nameOf: (option: string) => string): string[]
}

/**
 * Checks the values, adds the defaults and freezes the result. Throws a SettingsError with all problems: the known
 * ones and wrong values. Contradictions are looked for only if no value is wrong.
 */
export function checkSettings<Checks extends Record<string, OptionCheck>>(
  checks: Checks,
  input: Readonly<Record<string, unknown>>,
  { names = {}, problems = [], findContradictions }: CheckOptions<Checks>
): Values<Checks> {
  const nameOf = (option: string) => names[option] ?? option
  const values: Record<string, unknown> = {}
  const wrong: string[] = []
  for (const [option, check] of Object.entries(checks)) {
    const value = input[option]
    const isRight = value === undefined || check.isValid(value)
    const used = value ?? check.default
    if (used !== undefined) values[option] = used
    const got = check.secret ? '' : `, not ${JSON.stringify(value)}`
    if (!isRight) wrong.push(`${nameOf(option)} must be ${check.expected}${got}`)
  }
  const contradictions = wrong.length === 0 && findContradictions?.(values as Values<Checks>, nameOf)
  const all = [...problems, ...wrong, ...(contradictions || [])]
  if (all.length > 0) throw new SettingsError(all)
  return Object.freeze(values) as Values<Checks>
}
