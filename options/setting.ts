/** Makes settings. Each is the type, the check, the default and the documentation of an option. */
import { hidePasswords } from '../db/url.ts'

/** How an option is checked. */
export interface Rule<Value = unknown> {
  /** Describes a valid value, for error messages. */
  expected: string
  isValid(value: unknown): value is Value
  default?: Value
  /** Never printed. `password`: only the passwords in it. `NAME_FILE` may name a file with the value. */
  secret?: boolean | 'password'
}

export interface Setting<Value = unknown> extends Rule<Value> {
  type: 'boolean' | 'integer' | 'string'
  description: string
  /** Default of the process if NODE_ENV is `production`. */
  production?: Value
  /** Environment variable; otherwise the name of the option in capitals. */
  env?: string
  minimum?: number
  maximum?: number
  enum?: readonly string[]
}

/** The definition of a setting. Its type, `F` below, says whether there is a default. */
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

export const path = <F extends Facts<string>>(facts: F) =>
  text(path => path !== '', { ...facts, expected: 'a path' })

const mask = '***'

/** Returns a value as it may be shown: without a secret, and without the password of a URL. */
export function maskValue({ secret }: Pick<Setting, 'secret'>, value: unknown): unknown {
  if (value === undefined || !secret) return value
  return secret === 'password' ? (hidePasswords(String(value), mask) ?? mask) : mask
}
