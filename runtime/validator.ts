/** Checks values from hosts and clients. Errors name the wrong properties, never their values. */
import {
  type Decoder,
  type DecoderType,
  define,
  type exact,
  isPlainObject,
  null_,
  pojo,
  regex,
  sized,
  string,
  undefined_
} from 'decoders'
import type { FastifySchemaCompiler } from 'fastify'
import { hasMoreCharacters } from './characters.ts'
import { badRequest } from './errors.ts'
import { ArgumentError } from './host-errors.ts'

/** The properties of an object. The text of `describe` completes "it must be …". */
export type Shape = Record<string, Decoder<unknown>>

/** An object with the properties of a shape. */
export type Shaped<S extends Shape> = WithoutUndefined<DecoderType<ReturnType<typeof exact<S>>>>

/** Optional properties are absent, never undefined. */
type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** A JSON object. */
export const anyObject: Decoder<object> = pojo
/** A text of at least one character. It may consist of spaces. */
export const nonEmptyText = sized(string, { min: 1 })
/** A text that matches a pattern. `describe` must say which texts do: the decoder has no message of its own. */
export const matches = (pattern: RegExp): Decoder<string> => regex(pattern, '')

/**
 * A value of one of these types. Unlike the decoder of the library with this name, it does not describe a refused
 * value, which takes seconds for a large one.
 */
export const either = <Types extends Decoder<unknown>[]>(
  ...types: Types
): Decoder<DecoderType<Types[number]>> =>
  define((value, _ok, err) => {
    for (const type of types) {
      const result = type.decode(value)
      if (result.ok) return result as { ok: true; value: DecoderType<Types[number]>; error?: never }
    }
    return err('a value of another type')
  })
export const optional = <T>(type: Decoder<T>) => either(undefined_, type)
export const nullable = <T>(type: Decoder<T>) => either(null_, type)
export const nullish = <T>(type: Decoder<T>) => either(undefined_, null_, type)

/** A text of at most `maxCharacters` characters. `sized` counts UTF-16 units. */
export const limited = (type: Decoder<string>, maxCharacters: number): Decoder<string> =>
  type.refine(text => !hasMoreCharacters(text, maxCharacters), '')

/** Returns an argument of this shape. Otherwise throws an ArgumentError that names each wrong property of `what`. */
export function checkArgument<S extends Shape>(what: string, shape: S, value: unknown): Shaped<S> {
  const values = Object(value) as Record<string, unknown>
  const unknown = Object.keys(values)
    .filter(name => !Object.hasOwn(shape, name))
    .map(name => ({ name, message: `${name} is not a property` }))
  const problems: { message: string }[] = [...unknown, ...findWrong(shape, values)]
  if (problems.length === 0 && !isPlainObject(value)) problems.push({ message: 'it must be an object' })
  if (problems.length === 0) return value as Shaped<S>
  throw new ArgumentError(`${what}: ${joinMessages(problems)}`, problems)
}

/** Compiles the shape of a request's parameters for Fastify. Unknown parameters are ignored. */
export const compileValidator: FastifySchemaCompiler<Shape> =
  ({ schema }) =>
  data => {
    if (!isPlainObject(data)) return { error: badRequest('the request must be a JSON object') }
    const problems = findWrong(schema, data)
    return problems.length === 0 ? { value: data } : { error: badRequest(joinMessages(problems)) }
  }

const findWrong = (shape: Shape, values: Record<string, unknown>) =>
  Object.entries(shape).flatMap(([name, decoder]) => {
    const { ok, error } = decoder.decode(values[name])
    return ok ? [] : [{ name, message: `${name} must be ${error.text}` }]
  })

const joinMessages = (problems: { message: string }[]): string =>
  problems.map(({ message }) => message).join('; ')
