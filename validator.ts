/** Checks by TypeBox types what hosts and clients give. Errors name the wrong properties, never their values. */
import type { FastifySchemaCompiler } from 'fastify'
import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { ArgumentError, badRequest } from './errors.ts'

/** Returns an argument that matches its schema. Throws an ArgumentError that names every wrong property of `what`. */
export function checkArgument<S extends TObject>(what: string, schema: S, given: unknown): Static<S> {
  if (Value.Check(schema, given)) return given as Static<S>
  const values = Object(given) as Record<string, unknown>
  const unknown = Object.keys(values)
    .filter(name => !Object.hasOwn(schema.properties, name))
    .map(name => ({ name, message: `${name} is not a property` }))
  const problems = [...unknown, ...findWrong(schema, values)]
  throw new ArgumentError(`${what}: ${joinMessages(problems)}`, problems)
}

/** Compiles the type of a request's parameters for Fastify. */
export const compileValidator: FastifySchemaCompiler<TObject> = ({ schema }) => {
  const validator = Compile(schema)
  const describe = (data: unknown): string =>
    Value.Check(Type.Record(Type.String(), Type.Unknown()), data)
      ? joinMessages(findWrong(schema, data))
      : 'the request must be a JSON object'
  return data => (validator.Check(data) ? { value: data } : { error: badRequest(describe(data)) })
}

/** Says what each wrong property must be; the `description` of its type completes "it must be …". */
const findWrong = ({ properties }: TObject, values: Record<string, unknown>) =>
  Object.entries(properties as Record<string, { description?: string }>)
    .filter(([name, type]) => !(Type.IsOptional(type) && values[name] === undefined))
    .filter(([name, type]) => !Value.Check(type, values[name]))
    .map(([name, { description }]) => ({ name, message: `${name} must be ${description}` }))

const joinMessages = (problems: { message: string }[]): string =>
  problems.map(({ message }) => message).join('; ')
