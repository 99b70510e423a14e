/** Reads and checks the headers and the parameters of a request. */
import { string } from 'decoders'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { versionsOf } from '../../db/versions.ts'
import { badInput, makeError } from '../../graphql/errors.ts'
import type { Cost, GraphqlRequestParameters } from '../../graphql/operation/input.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { checkTokenAgain, getToken } from '../../plugins/bearer-auth.ts'
import { isPlainUtf8 } from '../../plugins/headers.ts'
import { badRequest, invalidRequest, notAcceptable } from '../../runtime/errors.ts'
import { findJsonExcess } from '../../runtime/json-values.ts'
import type { NamedOperation } from '../../runtime/metrics/metrics.ts'
import { anyObject, compileValidator, nullish, type Shape } from '../../runtime/validator.ts'
import { acceptedMediaType, acceptsEvents, type MediaType } from '../responses/negotiation.ts'
import { persistedQueryNotFound, persistedQueryNotSupported } from './persisted-queries.ts'

/** An HTTP request to GraphQL and its response, with facts of its operation for the log and for traces. */
export interface GraphqlHttpRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly settings: ServiceSettings
  /** The media type of the response. */
  readonly type: MediaType
  /** `Version.templates`, read when the body has arrived. */
  version: string
  /** undefined before the type of the operation is known. */
  operation?: NamedOperation
  /** In integers; undefined before the operation has been executed. */
  cost?: Cost
  /** Whether the response came from the cache. */
  isCached: boolean
  /** The text that was found by its SHA-256. A subscription needs it again when other texts have displaced it. */
  persistedQuery?: string | undefined
}

/**
 * Begins a request to GraphQL. Refuses requests that accept no supported media type or whose body is not plain UTF-8.
 * `findType` finds the type of the response that Accept allows.
 */
export const checkGraphqlHeaders =
  (settings: ServiceSettings, findType = findGraphqlType): onRequestHookHandler =>
  (request, reply, done) => {
    const type = findType(request.headers.accept)
    if (!type) return done(notAcceptable())
    request.productGraphql = { request, reply, settings, type, version: '', isCached: false }
    done(isPlainUtf8(request.headers) ? undefined : invalidRequest('the body must be plain UTF-8', 415))
  }

const findGraphqlType = (accept: string | undefined): MediaType | undefined =>
  acceptedMediaType(accept) ?? (acceptsEvents(accept) ? 'text/event-stream' : undefined)

/** Returns the request when its body has arrived. Rejects with 401 if the token has ended meanwhile. */
export async function checkTokenAtVersion(
  request: FastifyRequest,
  reply: FastifyReply
): Promise<GraphqlHttpRequest> {
  const httpRequest = request.productGraphql as GraphqlHttpRequest
  // The version is read now, so the response has everything that was committed before.
  const version = await versionsOf(request.server.productStore).now()
  await checkTokenAgain(request, reply, version)
  httpRequest.version = version.templates
  return httpRequest
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

/**
 * Returns the parameters of a request as a text: the body, which the content type parser has left as bytes, or the
 * query of the URL. A host's hook may have replaced both, so this reads neither the URL nor the raw request.
 */
export function readParameterText({ method, query, body }: FastifyRequest): string {
  if (method === 'GET') return JSON.stringify(query)
  return Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? null)
}

/**
 * Limits on the JSON of a request, because more takes long to parse. Filters, the deepest input, have far fewer levels.
 */
export const jsonBounds = { levels: 100, names: 10_000 }

/** Reads the parameters of a request, and finds the document that it names. Rejects with 400 if they are wrong. */
export async function readParameters(request: FastifyRequest): Promise<GraphqlRequestParameters> {
  const text = readParameterText(request)
  const excess = findJsonExcess(text, jsonBounds)
  if (excess) return { query: badInput(`the request has ${excess}`) }
  const received = request.method === 'GET' ? await readQuery(request) : await parseRequestJson(request, text)
  const { error } = (request.server.productTrustedDocuments ? checkTextOrId : checkText)(received) as {
    error?: Error
  }
  if (error) throw error
  const parameters = received as Parameters
  return { ...parameters, query: findDocument(request, parameters) }
}

/** Whether the parameters may name a text by its SHA-256. JSON may have any letter of a name as `\u…`. */
export const mayNamePersistedQuery = (text: string): boolean =>
  text.includes('persistedQuery') || text.includes('\\u')

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

const optionalObject = nullish(anyObject).describe('an object or null')
const optionalText = nullish(string).describe('a string or null')
const otherParameters = { variables: optionalObject, operationName: optionalText, extensions: optionalObject }

const compile = (schema: Shape) => compileValidator({ schema } as never)

/** GraphQL over HTTP, "Request Parameters": null counts as absent. */
const checkText = compile({ query: nullish(string).describe('a string'), ...otherParameters })
/** GraphQL over HTTP, "Persisted Document Request Parameters": an identifier may replace the text. */
const checkTextOrId = compile({ query: optionalText, documentId: optionalText, ...otherParameters })

/** The parameters as they were sent. */
interface Parameters extends Omit<GraphqlRequestParameters, 'query'> {
  query?: string | null
  documentId?: string | null
  extensions?: { persistedQuery?: unknown } | null
}

/** Returns the text of a document, or why there is none, with the codes that Apollo's clients and router use. */
function findDocument(request: FastifyRequest, parameters: Parameters): GraphqlRequestParameters['query'] {
  const { query, extensions } = parameters
  const { productTrustedDocuments: documents } = request.server
  const documentId = documents && parameters.documentId
  if (documentId != null) {
    if (query != null) throw badRequest('documentId and query exclude each other: send one of them')
    const text = documents?.byId.get(documentId)
    return text ?? makeError('there is no document with this documentId', 'PERSISTED_QUERY_NOT_FOUND')
  }
  if (extensions?.persistedQuery != null)
    return findPersistedQuery(request, readSha256(extensions.persistedQuery), query)
  if (documents?.isOnly)
    return makeError('only documents by their documentId are allowed', 'PERSISTED_QUERY_ID_REQUIRED')
  if (query == null) throw badRequest(`query${documents ? ' or documentId' : ''} must be a string`)
  return query
}

/** Reads the extension of Apollo's clients. Other members are ignored: urql adds one. */
function readSha256(persistedQuery: unknown): string {
  const { version, sha256Hash } = Object(persistedQuery) as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1) throw badRequest('extensions.persistedQuery.version must be 1')
  if (typeof sha256Hash !== 'string')
    throw badRequest('extensions.persistedQuery.sha256Hash must be a string')
  return sha256Hash
}

/** Returns the text with a SHA-256, and stores a text that was sent. Throws 400 if the two differ. */
function findPersistedQuery(request: FastifyRequest, sha256: string, query: string | null | undefined) {
  const { productTrustedDocuments: documents, productPersistedQueries: queries } = request.server
  const httpRequest = request.productGraphql as GraphqlHttpRequest
  // Apollo's clients send the identifiers of a manifest in the same way.
  const trusted = query == null ? documents?.byId.get(sha256) : undefined
  if (trusted !== undefined) return trusted
  if (documents?.isOnly) return persistedQueryNotSupported()
  const { iss, sub } = getToken(request)
  const user = `${iss} ${sub}`
  if (query == null) {
    httpRequest.persistedQuery ??= queries.find(user, sha256)
    return httpRequest.persistedQuery ?? persistedQueryNotFound()
  }
  const isIdentifier = documents && !/^[0-9a-f]{64}$/.test(sha256)
  // A text that is too long is refused later, so it is neither hashed nor stored.
  if (isIdentifier || query.length > httpRequest.settings.graphqlMaxSourceLength) return query
  if (!queries.store(user, sha256, query))
    throw badRequest('extensions.persistedQuery.sha256Hash is not the SHA-256 of query')
  return query
}
