import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import type { GraphqlRequest } from '../../plugins/graphql.ts'
import { compileValidator } from '../validator.ts'

const optionalText = () =>
  Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'a string or null' }))
const optionalObject = () =>
  Type.Optional(
    // Not a Record, whose check looks at each name.
    Type.Union([Type.Object({}), Type.Null()], { description: 'an object or null' })
  )

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
const RequestParameters: TObject = Type.Object({
  query: Type.String({ description: 'a string' }),
  variables: optionalObject(),
  operationName: optionalText(),
  extensions: optionalObject()
})

/** Parses JSON as Fastify does. Rejects with 400; names such as `__proto__` are refused. */
export const parseJson = (app: FastifyInstance, request: FastifyRequest, text: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const parser = app.getDefaultJsonParser('error', 'error')
    parser(request, text, (error, value) => (error ? reject(error) : resolve(value)))
  })

const validate = compileValidator({ schema: RequestParameters } as never)

/** Checks the parameters of a request. Throws 400 with what is wrong. */
export function checkParameters(parameters: unknown): GraphqlRequest {
  const { error } = validate(parameters) as { error?: Error }
  if (error) throw error
  return parameters as GraphqlRequest
}
