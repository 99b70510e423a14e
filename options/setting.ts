/** Makes settings. Each is the type, the check, the default and the documentation of an option. */
import { hidePasswords } from '../db/url.ts'

export interface Setting<Value = unknown> {
  type: 'boolean' | 'integer' | 'string' | 'object'
  description: string
  /** Describes a valid value, for error messages. */
  expected: string
  isValid(value: unknown): boolean
  default?: Value
  /** Default of the process if NODE_ENV is `production`. */
  production?: Value
  /** Environment variable; otherwise the name of the option in capitals. */
  env?: string
  /** Never printed. `password`: only the passwords in it. `NAME_FILE` may name a file with the value. */
  secret?: boolean | 'password'
  minimum?: number
  maximum?: number
  enum?: readonly string[]
}

/** What a setting says besides its type. */
type Facts<Value> = Pick<Setting<Value>, 'description' | 'default' | 'production' | 'env' | 'secret'>

/** A setting of which it is known whether it has a default. */
type Made<Value, F> = Setting<Value> & (F extends { default: unknown } ? { default: Value } : object)

/** The values of settings. Those without a default are optional. */
export type Values<Settings> = {
  [Name in keyof Settings as Settings[Name] extends { default: unknown } ? Name : never]: ValueOf<
    Settings[Name]
  >
} & {
  [Name in keyof Settings as Settings[Name] extends { default: unknown } ? never : Name]?: ValueOf<
    Settings[Name]
  >
}
type ValueOf<S> = S extends Setting<infer Value> ? Value : never

const make = <Value, F>(
  rules: Pick<Setting, 'type' | 'expected' | 'isValid' | 'minimum' | 'maximum' | 'enum'>,
  facts: F
) => ({ ...rules, ...facts }) as unknown as Made<Value, F>

export const integer = <F extends Facts<number>>([minimum, maximum]: [number, number], facts: F) => {
  const isValid = (value: unknown) =>
    Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
  const expected = `an integer from ${minimum} to ${maximum}`
  return make<number, F>({ type: 'integer', minimum, maximum, expected, isValid }, facts)
}

export const boolean = <F extends Facts<boolean>>(facts: F) => {
  const isValid = (value: unknown) => typeof value === 'boolean'
  return make<boolean, F>({ type: 'boolean', expected: 'true or false', isValid }, facts)
}

export const choice = <const Name extends string, F extends Facts<Name>>(
  names: readonly Name[],
  facts: F
) => {
  const isValid = (value: unknown) => names.includes(value as Name)
  const expected = `one of ${names.join(', ')}`
  return make<Name, F>({ type: 'string', enum: names, expected, isValid }, facts)
}

export const text = <F extends Facts<string> & { expected: string }>(
  isValidText: (text: string) => boolean,
  facts: F
) => {
  const isValid = (value: unknown) => typeof value === 'string' && isValidText(value)
  return make<string, F>({ type: 'string', expected: facts.expected, isValid }, facts)
}

export const path = <F extends Facts<string>>(facts: F) =>
  text(path => path !== '', { ...facts, expected: 'a path' })

/** An object of a host, which error messages do not show. */
export const instance = <Type>(expected: string, isValid: (value: unknown) => boolean) =>
  make<Type, { secret: true }>({ type: 'object', expected, isValid }, { secret: true })

const mask = '***'

/** Returns what may be shown of a value: nothing of a secret, and no password of a URL. */
export function maskValue({ secret }: Pick<Setting, 'secret'>, value: unknown): unknown {
  if (value === undefined || !secret) return value
  return secret === 'password' ? (hidePasswords(String(value), mask) ?? mask) : mask
}
