import type { FastifySchemaCompiler } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { badRequest } from '../errors.ts'

/** A TypeBox object; the `description` of a property completes "it must be …". */
interface Described {
  properties: Record<string, TSchema & { description?: string }>
}

/** Compiles a TypeBox object for Fastify. Its errors name the wrong properties and their types, never a value. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const validator = Compile(schema)
  return data => (validator.Check(data) ? { value: data } : { error: badRequest(describe(schema, data)) })
}

function describe(schema: TSchema, data: unknown): string {
  if (!Value.Check(Type.Record(Type.String(), Type.Unknown()), data))
    return 'the request must be a JSON object'
  const { properties } = schema as unknown as Described
  return Object.entries(properties)
    .filter(([name, type]) => !(Type.IsOptional(type) && data[name] === undefined))
    .filter(([name, type]) => !Value.Check(type, data[name]))
    .map(([name, { description }]) => `${name} must be ${description}`)
    .join('; ')
}
