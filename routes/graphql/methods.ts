import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import { type TObject, Type } from 'typebox'
import { badRequest, methodNotAllowed } from '../../errors.ts'
import type { GraphqlRequest } from '../../graphql/execute.ts'
import { requireToken } from '../../plugins/bearer-auth.ts'
import { compileValidator } from '../../validator.ts'
import { computeETag, isKnown } from '../etag.ts'
import { contentType } from '../responses/negotiation.ts'
import type { Route } from '../route.ts'
import { checkHeaders, checkIdempotencyKey } from './protocol.ts'
import { answerBy } from './respond.ts'
import type { Exchange, MethodRules } from './run.ts'

/** The token is checked before the body is read; which scope is needed is known only then. */
export const graphqlPost: Route = (app, settings) => ({
  onRequest: [
    requireToken(app, ['read', 'write'], { isCheckedAgain: true }),
    checkHeaders,
    checkIdempotencyKey
  ],
  bodyLimit: settings.graphqlMaxBodySize,
  handler: answerBy(post(app), settings)
})

const post = (app: FastifyInstance): MethodRules => ({
  readText: readBody,
  parse: async request => checkParameters(await parseJson(app, request, readBody(request)))
})

/** The parser has left the body as bytes; a host's hook may have replaced it. */
export const readBody = ({ body }: FastifyRequest): string =>
  Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? null)

/** Queries by GET. Clients may cache the response and revalidate it by its ETag. */
export const graphqlGet: Route = (app, settings) => ({
  exposeHeadRoute: false,
  onRequest: [requireToken(app, ['read'], { isCheckedAgain: true }), checkHeaders],
  handler: answerBy(get(app), settings)
})

const get = (app: FastifyInstance): MethodRules => ({
  readText: readQuery,
  parse: request => parseQueryString(app, request),
  refuse(reply, operation) {
    if (operation === OperationTypeNode.QUERY) return
    reply.header('Allow', 'POST')
    throw methodNotAllowed(`a ${operation} by GET`)
  },
  async isUnchanged({ request, reply, type }, body, coding) {
    const etag = await etagOf(type, body)
    const coded = coding === undefined ? etag : etag.replace(/"$/, `.${coding}"`)
    // Only the client may cache it, and must revalidate it with a valid token before each use.
    reply.headers({ ETag: coded, 'Cache-Control': 'private, no-cache' })
    // The client may have it in another coding.
    return isKnown(etag, request.headers['if-none-match']?.replace(/\.(zstd|br|gzip)"/g, '"'))
  }
})

/** ETags by the first buffer of a body. */
const etags = new WeakMap<Buffer, string>()

async function etagOf(type: Exchange['type'], body: Buffer[]): Promise<string> {
  const [first] = body as [Buffer]
  const etag = etags.get(first) ?? (await computeETag(contentType(type), body))
  etags.set(first, etag)
  return etag
}

/** Not the URL, because a host's hook may have replaced the query. */
const readQuery = ({ query }: FastifyRequest): string => JSON.stringify(query)

/** GraphQL over HTTP, "GET": variables and extensions are JSON; an empty operation name counts as absent. */
async function parseQueryString(app: FastifyInstance, request: FastifyRequest): Promise<GraphqlRequest> {
  const { variables, extensions, operationName, ...others } = request.query as Record<string, unknown>
  const parse = (name: string, text: unknown) =>
    // A repeated parameter is a list.
    typeof text !== 'string'
      ? text
      : parseJson(app, request, text).catch(() => {
          throw badRequest(`${name} must be JSON`)
        })
  return checkParameters({
    ...others,
    operationName: operationName === '' ? null : operationName,
    variables: await parse('variables', variables),
    extensions: await parse('extensions', extensions)
  })
}

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
function checkParameters(parameters: unknown): GraphqlRequest {
  const { error } = validate(parameters) as { error?: Error }
  if (error) throw error
  return parameters as GraphqlRequest
}
