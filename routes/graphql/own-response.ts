import type { FastifyRequest } from 'fastify'
import { addExtensions, serialize } from '../../graphql/execution/json.ts'
import { clientGone, type Operation } from '../../graphql/execution/operation.ts'
import { isUnresolved, type Result, toFailedResult } from '../../graphql/execution/result.ts'
import type { MediaType } from '../responses/negotiation.ts'

/** Makes the response to a request from the result of its operation. */
export async function makeResponse(
  request: FastifyRequest,
  type: MediaType,
  result: Result,
  operation: Operation
) {
  const { bytes, failure } = await serialize(result, operation).then(
    bytes => ({ bytes, failure: undefined }),
    error => ({ bytes: [Buffer.from(JSON.stringify(toFailedResult(error)))], failure: error })
  )
  const isGone = operation.signal.reason?.extensions?.code === clientGone
  if (isGone) request.log.info({ statusCode: 499 }, 'the client has gone before the response')
  else if (failure) request.log.warn({ reason: failure.message }, 'a result could not be sent')
  const errors = failure ? [failure] : (result.errors ?? [])
  for (const code of new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'OTHER'))))
    request.server.productMetrics.counter('graphql_errors_total').inc({ code })
  return {
    statusCode: statusCode(result, request.method, type),
    body:
      asksForCost(request) && mayKnowCost(request)
        ? addExtensions(bytes, { cost: operation.roundedCost() })
        : bytes,
    complete: failure === undefined && !result.errors,
    isCacheable: operation.isCacheable,
    isSecret: operation.isSecret
  }
}

/** Whether the response should report the cost: the header `GraphQL-Cost` is present and not 0 or false. */
export const asksForCost = ({ headers }: FastifyRequest): boolean =>
  headers['graphql-cost'] !== undefined && !/^(0|false)?$/i.test(String(headers['graphql-cost']))

/** The cost depends on all templates, also on those that a rule does not permit. */
export const mayKnowCost = ({ productToken }: FastifyRequest): boolean => productToken?.rule === undefined

/** GraphQL over HTTP, "Status Codes": with `application/json`, every well-formed request gets 200. */
function statusCode(result: Result, method: string, type: MediaType): number {
  // The protocol of graphql-sse has all errors of a document in an event.
  if ('data' in result || type === 'text/event-stream') return 200
  // GET allows only queries, and this operation cannot be determined.
  if (method === 'GET' && isUnresolved(result)) return 400
  return type === 'application/json' ? 200 : 400
}
