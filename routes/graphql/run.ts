import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { methodNotAllowed, needsEvents } from '../../errors.ts'
import {
  type Caller,
  ExecuteAgain,
  type GraphqlRequest,
  type Hooks,
  type Subscription
} from '../../graphql/context.ts'
import {
  executeRequest,
  isUnresolved,
  type Result,
  toFailedResult,
  toRefusedResult
} from '../../graphql/execute.ts'
import { addExtensions, serialize } from '../../graphql/execution/json.ts'
import { clientGone, Operation } from '../../graphql/execution/operation.ts'
import type { ServiceSettings } from '../../options.ts'
import { requireScope } from '../../plugins/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/tokens.ts'
import { acceptsEvents, type MediaType } from '../responses/negotiation.ts'
import { type PendingResponse, whenClosed } from '../responses/pending-responses.ts'
import type { OperationQueue } from './operation-queue.ts'
import type { Execution } from './response-cache.ts'

/** A request with what its response depends on. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  type: MediaType
  /** `Version.templates`, read since the request arrived. */
  version: string
  settings: ServiceSettings
}

/** A response that only its own request gets. */
export interface OwnResponse {
  statusCode: number
  body: Buffer[]
  /** Whether the response has all requested data. */
  complete: boolean
  /** Whether it depends on the templates alone. */
  isCacheable: boolean
  /** Whether nobody, not even the client, may keep it. */
  isSecret: boolean
  /** Memory of the body, until it is sent. */
  pending: PendingResponse
  /** If it has begun, events are sent in place of the body. */
  subscription: Subscription
}

/** A change for which a subscription is executed. The caller closes `pending`. */
interface Event {
  change: Change
  pending: PendingResponse
}

/**
 * Executes a request of an authenticated client when its token may start it, and again if it reads for too long for the
 * event loop, or if a replica fails. A subscription is executed once for each `event`. With `execution`, equal requests may
 * wait for the response.
 */
export async function runRequest(
  exchange: Exchange,
  parameters: GraphqlRequest,
  { execution, event }: { execution?: Execution | undefined; event?: Event } = {}
): Promise<OwnResponse> {
  const { request, reply, version, settings } = exchange
  const { server: app, productToken } = request
  const subscription: Subscription = { change: event?.change }
  // Counted also after the client has left, while others wait.
  const pending = event?.pending ?? app.productPendingResponses.open()
  const client = new AbortController()
  const ignoreClient = whenClosed(reply.raw, () => execution?.isAwaited || client.abort())
  let operation = new Operation(app.productStore, version, {
    ...{ settings, client: client.signal, tellsCost: mayKnowCost(request) },
    takeMemory: bytes => pending.add(bytes)
  })
  let begun = 0
  const leave: ((cost: number) => void)[] = []
  const enter = async (queue: OperationQueue, size: number) => {
    leave.push(await queue.enter(productToken?.jti ?? '', size, operation.signal))
    begun ||= performance.now()
  }
  const hooks: Hooks = {
    startLong: () => enter(app.productLongOperationQueue, 0),
    checkType(operationType, name) {
      checkAllowed(exchange, operationType)
      // Only queries are shared.
      if (operationType !== OperationTypeNode.QUERY) execution?.end()
      request.productOperation = app.productMetrics.findOperation(name, operationType)
    },
    report: (err, errorId) => request.log.error({ err, errorId }, 'a resolver failed')
  }
  const given = { request: parameters, caller: callerOf(request), settings, links: linksOf(app) }
  const execute = async (): Promise<Result> => {
    const { store } = operation
    try {
      return await executeRequest(app.graphql, { ...given, operation, store, subscription, hooks })
    } catch (error) {
      if (!(error instanceof ExecuteAgain)) throw error
      operation = operation.startAgain(error.mode)
      return execute()
    }
  }
  try {
    const result = await enter(app.productOperationQueue, sizeOf(exchange)).then(execute, toRefusedResult)
    return { ...(await makeResponse(exchange, result, operation)), pending, subscription }
  } finally {
    ignoreClient()
    if (!event) whenClosed(reply.raw, () => pending.close())
    operation.close()
    request.productCost = operation.roundedCost()
    request.productOperation?.figures.countExecuted(operation.cost.actual, begun)
    for (const each of leave) each(operation.cost.actual)
  }
}

/** Throws if the request or its token does not allow operations of a type. */
function checkAllowed({ request, reply }: Exchange, type: OperationTypeNode): void {
  if (type === OperationTypeNode.MUTATION && request.method === 'GET') {
    reply.header('Allow', 'POST')
    throw methodNotAllowed('a mutation by GET')
  }
  if (type !== OperationTypeNode.MUTATION) requireScope(request, reply, 'read')
  const isSubscription = type === OperationTypeNode.SUBSCRIPTION
  if (isSubscription && !acceptsEvents(request.headers.accept)) throw needsEvents()
}

const linksOf = ({ productTokens: { issuer }, productLoginProviders: providers }: FastifyInstance) => ({
  issuer,
  providers
})

/** `requireToken` has set the token. */
function callerOf({ productToken, headers, ip }: FastifyRequest): Caller {
  const { sub, client_id, scope, mayPublish, role, rule, name } = productToken as VerifiedToken
  const key = headers['idempotency-key']
  return {
    subject: sub,
    clientId: client_id,
    scopes: new Set(scope.split(' ').filter(Boolean)),
    mayPublish,
    role,
    rule,
    name,
    address: ip || null,
    idempotencyKey: key === undefined ? null : String(key),
    lastEventId: headers['last-event-id']?.toString() || null
  }
}

/** Returns the bytes of a request. A body without a length counts as the largest. */
function sizeOf({ request: { method, headers, url }, settings: { graphqlMaxBodySize } }: Exchange): number {
  return method === 'GET' ? url.length : Number(headers['content-length'] ?? graphqlMaxBodySize)
}

/** Makes the response to a request from the result of its operation. */
async function makeResponse({ request, type }: Exchange, result: Result, operation: Operation) {
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
  const tellsCost = asksForCost(request) && mayKnowCost(request)
  return {
    statusCode: statusCode(result, request.method, type),
    body: tellsCost ? addExtensions(bytes, { cost: operation.roundedCost() }) : bytes,
    complete: failure === undefined && !result.errors,
    isCacheable: operation.isCacheable,
    isSecret: operation.isSecret
  }
}

/** Whether the response should report the cost: the header `GraphQL-Cost` is present and not 0 or false. */
export const asksForCost = ({ headers }: FastifyRequest): boolean =>
  headers['graphql-cost'] !== undefined && !/^(0|false)?$/i.test(String(headers['graphql-cost']))

/** The cost depends on all templates, also on those that a rule does not permit. */
const mayKnowCost = ({ productToken }: FastifyRequest): boolean => productToken?.rule === undefined

/** GraphQL over HTTP, "Status Codes": with `application/json`, every well-formed request gets 200. */
function statusCode(result: Result, method: string, type: MediaType): number {
  // The protocol of graphql-sse has all errors of a document in an event.
  if ('data' in result || type === 'text/event-stream') return 200
  // GET allows only queries, and this operation cannot be determined.
  if (method === 'GET' && isUnresolved(result)) return 400
  return type === 'application/json' ? 200 : 400
}
