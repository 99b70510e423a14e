import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DocumentBudget } from '../../graphql/document-budget.ts'
import { isUnresolved, type Result, toTooLargeResult } from '../../graphql/result.ts'
import type { ServiceSettings } from '../../options.ts'
import type { Caller, GraphqlRequest } from '../../plugins/graphql.ts'
import { acceptedMediaType, contentType, type MediaType } from './media-type.ts'

export interface Answer {
  statusCode: number
  type: string
  body: Buffer
  /** Whether everything that was asked for is in it. */
  complete: boolean
}

/** Executes a request for the holder of its token. */
export async function answerTo(
  request: FastifyRequest,
  app: FastifyInstance,
  settings: ServiceSettings,
  admit?: Caller['admit']
): Promise<Answer> {
  const parameters = (request.method === 'GET' ? request.query : request.body) as GraphqlRequest
  const scopes = new Set(request.productToken?.scope.split(' '))
  const result = await app.productGraphql(
    parameters,
    { db: app.productStore, scopes, budget: new DocumentBudget(settings.graphqlMaxResultSize) },
    { admit, report: (err, errorId) => request.log.error({ err, errorId }, 'a resolver failed') }
  )
  // `checkHeaders` has let nothing else through.
  const type = acceptedMediaType(request.headers.accept) ?? 'application/json'
  const body = serialized(result, settings.graphqlMaxResultSize)
  if (!body) request.log.warn({ limit: settings.graphqlMaxResultSize }, 'a result is too large')
  return {
    statusCode: statusCode(result, request.method, type),
    type: contentType(type),
    body: body ?? Buffer.from(JSON.stringify(toTooLargeResult(settings.graphqlMaxResultSize))),
    complete: body !== undefined && !result.errors
  }
}

/** GraphQL over HTTP, "Status Codes": `application/json` has 200 for every request it could read. */
function statusCode(result: Result, method: string, type: MediaType): number {
  if ('data' in result) return 200
  // A GET is for queries: it is refused where nobody can tell that it is one.
  if (method === 'GET' && isUnresolved(result)) return 400
  return type === 'application/json' ? 200 : 400
}

/** The result as bytes; undefined when there are more than `limit`. */
function serialized(result: Result, limit: number): Buffer | undefined {
  try {
    const bytes = Buffer.from(JSON.stringify(result))
    return bytes.length > limit ? undefined : bytes
  } catch (error) {
    // Longer than any string can be.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
