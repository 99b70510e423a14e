import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import { compileValidator } from '../validator.ts'

const optionalObject = Type.Optional(
  // Not a Record, whose check looks at each name.
  Type.Union([Type.Object({}), Type.Null()], { description: 'an object or null' })
)

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
const RequestParameters: TObject = Type.Object({
  query: Type.String({ description: 'a string' }),
  variables: optionalObject,
  operationName: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'a string or null' })),
  extensions: optionalObject
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

/** Characters of a request whose response may be kept. */
export const maxKeyLength = 2 ** 16

/**
 * Returns what the response to a request depends on besides the templates: the scope of the token, the media type and the
 * parameters, whatever their order and white space. Undefined for a request that is too long or nested too deeply.
 */
export function toCacheKey(
  scope: string,
  type: string,
  { query, operationName, variables }: GraphqlRequest
): string | undefined {
  try {
    const key = canonical([scope, type, operationName ?? null, query, variables ?? {}])
    return key.length > maxKeyLength ? undefined : key
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Formats a JSON value so that only equal ones have the same text, also numbers that JSON itself would change. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map(name => `${JSON.stringify(name)}:${canonical(value[name as never])}`).join()}}`
}
