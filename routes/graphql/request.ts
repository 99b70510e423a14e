/** Reads and checks the headers and the parameters of a request. */
import { isUtf8 } from 'node:buffer'
import type { FastifyBodyParser, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { GraphQLError } from 'graphql'
import { versionsOf } from '../../db/versions.ts'
import { badInput } from '../../graphql/errors.ts'
import type { Cost, GraphqlRequestParameters } from '../../graphql/operation/operation.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { checkTokenAgain } from '../../plugins/authentication/bearer-auth.ts'
import { addVary, isPlainUtf8 } from '../../plugins/headers.ts'
import { badRequest, invalidRequest, notAcceptable } from '../../runtime/errors.ts'
import { findJsonExcess, isObject } from '../../runtime/json-values.ts'
import type { NamedOperation } from '../../runtime/metrics/metrics.ts'
import { acceptsEvents, chooseMediaType, type MediaType } from '../responses/negotiation.ts'

/** An HTTP request to GraphQL and its response, with facts of its operation for the log and for traces. */
export interface GraphqlExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly settings: ServiceSettings
  /** The media type of the response. */
  readonly type: MediaType
  /** `Version.templates`, read when the body has arrived. */
  templatesVersion: string
  /** When the token was last checked, a time of performance.now(). */
  checkedAt: number
  /** undefined before the type of the operation is known. */
  namedOperation?: NamedOperation
  /** In integers; undefined before the operation has been executed. */
  cost?: Cost
  /** Whether the response came from the cache. */
  isCached: boolean
  /** Whether the response asks the client for its document. The status is then 200. */
  asksForDocument?: boolean
}

/** Sets the headers of every response, also of a refusal. Cacheable responses override Cache-Control later. */
export const setDefaultHeaders: onRequestHookHandler = (_request, reply, done) => {
  reply.header('Cache-Control', 'no-store')
  addVary(reply, 'Accept, Accept-Encoding, Authorization')
  done()
}

/**
 * Begins an exchange. Refuses requests that accept no supported media type or whose body is not plain UTF-8.
 * `chooseType` chooses the type of the response by Accept.
 */
export const beginExchange =
  (settings: ServiceSettings, chooseType = chooseGraphqlType): onRequestHookHandler =>
  (request, reply, done) => {
    const type = chooseType(request.headers.accept)
    if (!type) return done(notAcceptable())
    attachExchange({ request, reply, settings, type })
    done(isPlainUtf8(request.headers) ? undefined : invalidRequest('the body must be plain UTF-8', 415))
  }

/** Makes the exchange of a request, and attaches it to the request. */
export const attachExchange = (
  known: Pick<GraphqlExchange, 'request' | 'reply' | 'settings' | 'type'>
): GraphqlExchange => {
  const exchange = { ...known, templatesVersion: '', checkedAt: 0, isCached: false }
  known.request.productGraphql = exchange
  return exchange
}

const chooseGraphqlType = (accept: string | undefined): MediaType | undefined =>
  chooseMediaType(accept) ?? (acceptsEvents(accept) ? 'text/event-stream' : undefined)

/** Adds the version to the exchange when the body has arrived. Rejects with 401 if the token has ended meanwhile. */
export async function checkTokenAtVersion(
  request: FastifyRequest,
  reply: FastifyReply
): Promise<GraphqlExchange> {
  const exchange = request.productGraphql as GraphqlExchange
  // The version is read now, so the response has everything that was committed before.
  const version = await versionsOf(request.server.productStore).now()
  await checkTokenAgain(request, reply, version)
  exchange.templatesVersion = version.templates
  exchange.checkedAt = performance.now()
  return exchange
}

/** Refuses an Idempotency-Key that is empty, too long or has other characters than visible ASCII. */
export const checkIdempotencyKey: onRequestHookHandler = ({ headers }, _reply, done) => {
  const key = headers['idempotency-key']
  const isWrong = key !== undefined && !/^[!-~]{1,255}$/.test(String(key))
  done(isWrong ? invalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters') : undefined)
}

/** Whether the response should report the cost: the header `GraphQL-Cost` is present and not 0 or false. */
export const asksForCost = ({ headers }: FastifyRequest): boolean =>
  headers['graphql-cost'] !== undefined && !/^(0|false)?$/i.test(String(headers['graphql-cost']))

/** Leaves a body unparsed: it is the key of a cached response. */
export const keepBytes: FastifyBodyParser<Buffer> = (_request, body, done) =>
  // Decoding would replace the bytes, and the service would store and find other texts than were meant.
  isUtf8(body) ? done(null, body) : done(badRequest('the request body is not valid UTF-8'))

/**
 * Returns the parameters of a request as a text: the body, which {@link keepBytes} has left as bytes, or the query of
 * the URL. A host's hook may have replaced both, so this reads neither the URL nor the raw request.
 */
export function readParameterText({ method, query, body }: FastifyRequest): string {
  if (method === 'GET') return JSON.stringify(query)
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? null)
}

/**
 * Limits on the JSON of a request, because more takes long to parse. Filters, the deepest input, have far fewer levels.
 * Imports, the largest, may have 100,000 values.
 */
export const jsonBounds = { levels: 100, values: 125_000, names: 10_000 }

/** Reads the parameters of a request, and finds the document that it names. Rejects with 400 if they are wrong. */
export async function readParameters(request: FastifyRequest): Promise<GraphqlRequestParameters> {
  const text = readParameterText(request)
  const excess = findJsonExcess(text, jsonBounds)
  if (excess) return { query: badInput(`the request has ${excess}`) }
  const received = request.method === 'GET' ? await readQuery(request) : await parseRequestJson(request, text)
  checkParameters(received)
  return { ...received, query: findDocument(request, received) }
}

/** Parses JSON as Fastify does. Rejects with 400, also for names such as `__proto__`. */
export const parseRequestJson = (request: FastifyRequest, text: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const parser = request.server.getDefaultJsonParser('error', 'error')
    parser(request, text, (error, value) => (error ? reject(error) : resolve(value)))
  })

/** GraphQL over HTTP, "GET": variables and extensions are JSON; an empty operation name counts as absent. */
async function readQuery(request: FastifyRequest): Promise<object> {
  const { variables, extensions, operationName, ...others } = request.query as Record<string, unknown>
  const parse = (name: string, text: unknown) =>
    // A repeated parameter is a list.
    typeof text !== 'string'
      ? text
      : parseRequestJson(request, text).catch(() => {
          throw badRequest(`${name} must be JSON`)
        })
  return {
    ...others,
    operationName: operationName === '' ? null : operationName,
    variables: await parse('variables', variables),
    extensions: await parse('extensions', extensions)
  }
}

/** The parameters as sent. GraphQL over HTTP, "Request Parameters", "Persisted Document Request Parameters". */
export interface Parameters extends Omit<GraphqlRequestParameters, 'query'> {
  query?: string | null
  documentId?: unknown
  extensions?: Record<string, unknown> | null
}

/** Throws 400 if a parameter has a wrong type. Null counts as absent. */
function checkParameters(received: unknown): asserts received is Parameters {
  if (!isObject(received)) throw badRequest('the request must be a JSON object')
  const { query, variables, operationName, extensions } = received
  const problems: string[] = []
  if (query != null && typeof query !== 'string') problems.push('query must be a string')
  if (variables != null && !isObject(variables)) problems.push('variables must be an object or null')
  if (operationName != null && typeof operationName !== 'string')
    problems.push('operationName must be a string or null')
  if (extensions != null && !isObject(extensions)) problems.push('extensions must be an object or null')
  if (problems.length > 0) throw badRequest(problems.join('; '))
}

/** Finds the documents that requests name instead of sending them. */
export interface DocumentFinder {
  /**
   * Returns the document, or the error that says why there is none; null or undefined if the request neither sends nor
   * names one.
   */
  find(request: FastifyRequest, parameters: Parameters): string | GraphQLError | null | undefined
  /** Whether the named document may depend on the user. Then it is found for each request. The key has the parameters. */
  isPersonal(key: string): boolean
}

function findDocument(request: FastifyRequest, parameters: Parameters): GraphqlRequestParameters['query'] {
  const { productDocumentFinder: finder } = request.server
  const query = finder ? finder.find(request, parameters) : parameters.query
  if (query == null) throw badRequest('query must be a string')
  return query
}
