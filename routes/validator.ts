import type { FastifySchemaCompiler } from 'fastify'
import { type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { describeWrong } from '../arguments-check.ts'
import { badRequest } from '../errors.ts'

/** Compiles a TypeBox object for Fastify. Its errors name the wrong properties and their types, never a value. */
export const compileValidator: FastifySchemaCompiler<TObject> = ({ schema }) => {
  const validator = Compile(schema)
  const describe = (data: unknown): string =>
    Value.Check(Type.Record(Type.String(), Type.Unknown()), data)
      ? describeWrong(schema, data).join('; ')
      : 'the request must be a JSON object'
  return data => (validator.Check(data) ? { value: data } : { error: badRequest(describe(data)) })
}
