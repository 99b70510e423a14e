/** Checks values from hosts and clients. Errors name the wrong properties, never their values. */
import { type Decoder, type DecoderType, type exact, isPlainObject, pojo, sized, string } from 'decoders'
import type { FastifySchemaCompiler } from 'fastify'
import { ArgumentError, badRequest } from './errors.ts'

/** The properties of an object. The text of `describe` completes "it must be …". */
export type Shape = Record<string, Decoder<unknown>>

/** An object with the properties of a shape. */
export type Shaped<S extends Shape> = WithoutUndefined<DecoderType<ReturnType<typeof exact<S>>>>

/** Optional properties are absent, never undefined. */
type WithoutUndefined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** An object that is not an array. */
export const anyObject: Decoder<object> = pojo
/** A text of at least one character. It may consist of spaces. */
export const nonEmptyText = sized(string, { min: 1 })

/** Returns an argument if it has the shape. Otherwise throws an ArgumentError that names every wrong property of `what`. */
export function checkArgument<S extends Shape>(what: string, shape: S, given: unknown): Shaped<S> {
  const values = Object(given) as Record<string, unknown>
  const unknown = Object.keys(values)
    .filter(name => !Object.hasOwn(shape, name))
    .map(name => ({ name, message: `${name} is not a property` }))
  const problems = [...unknown, ...findWrong(shape, values)]
  if (problems.length === 0 && isPlainObject(given)) return given as Shaped<S>
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
