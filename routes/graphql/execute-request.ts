import type { FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { Change } from '../../db/templates/changes/changes.ts'
import { doneWithoutResult, makeError, toFailedResult } from '../../graphql/errors.ts'
import { type ExecutedOperation, executeOperation, toExecuted } from '../../graphql/execute.ts'
import {
  type Caller,
  type Cost,
  type GraphqlRequestParameters,
  Operation
} from '../../graphql/operation/operation.ts'
import { addExtensions, countBodyBytes } from '../../graphql/result.ts'
import { getToken, requireReadScope } from '../../plugins/authentication/bearer-auth.ts'
import { methodNotAllowed, needsEvents } from '../../runtime/errors.ts'
import { acceptsEvents } from '../responses/negotiation.ts'
import { type PendingResponse, whenClosed } from '../responses/response-memory.ts'
import type { QueueSlot } from './operation-queue.ts'
import { asksForCost, type GraphqlExchange } from './request.ts'
import type { JoinableExecution } from './response-cache.ts'
import { takeSlot, waitForSlot } from './take-slot.ts'

/** The response to the request that was executed. */
export interface ExecutedResponse extends ExecutedOperation {
  /** Memory of the body, until it is sent. */
  pendingResponse: PendingResponse
}

/** A change for which a subscription is executed. The caller closes `pendingResponse`. */
interface ChangeEvent {
  change: Change
  pendingResponse: PendingResponse
}

/**
 * Executes the operation of an authenticated request when its token may start it. A subscription is executed once to
 * begin, and then for each `event`. Equal requests may join `execution`. With a `slot`, the operation starts at once.
 */
export async function executeRequest(
  exchange: GraphqlExchange,
  parameters: GraphqlRequestParameters,
  {
    execution,
    event,
    slot
  }: { execution?: JoinableExecution | undefined; event?: ChangeEvent; slot?: QueueSlot } = {}
): Promise<ExecutedResponse> {
  const { request, reply, settings, templatesVersion } = exchange
  const { server: app } = request
  // The memory of a client that leaves counts as long as others wait for the response.
  const pendingResponse = event?.pendingResponse ?? app.productResponseMemory.open()
  const operation = new Operation({
    parameters,
    caller: readCaller(request),
    settings,
    issuer: app.productTokens.issuer,
    change: event?.change,
    db: app.productStore,
    threads: app.productThreads,
    token: getToken(request).jti,
    templatesVersion,
    async waitForTurn(getSignal) {
      // A stream checks its token itself before each event.
      slot ??= await (event ? waitForSlot : takeSlot)(exchange, getSignal)
    },
    onType(type, name) {
      checkAllowed(exchange, type)
      // Only queries can be joined.
      if (type !== OperationTypeNode.QUERY) execution?.end()
      exchange.namedOperation = app.productMetrics.findOperation(name, type)
    },
    report: (err, errorId) => request.log.error({ err, errorId }, 'a resolver failed')
  })
  const { cost } = operation
  const ignoreClient = whenClosed(
    reply.raw,
    () => execution?.isAwaited || operation.lifetime.end(makeError('the client has gone', clientGone))
  )
  try {
    const executed = await executeOperation(app.graphql, operation)
    noteErrors(request, executed)
    if (asksForCost(request)) executed.body = addExtensions(executed.body, { cost: toShownCost(operation) })
    return { ...countPending(executed, operation, pendingResponse), pendingResponse }
  } finally {
    ignoreClient()
    if (!event) whenClosed(reply.raw, () => pendingResponse.close())
    exchange.cost = roundCost(cost)
    if (slot) exchange.namedOperation?.counters.countExecuted(cost.actual, slot.begun)
    slot?.release(cost.actual)
  }
}

/**
 * Counts the memory of a response. If there is too little, throws 503, but a mutation gets an error instead of its
 * result: a client that tries again would repeat it.
 */
function countPending(executed: ExecutedOperation, { type }: Operation, pendingResponse: PendingResponse) {
  try {
    pendingResponse.add(countBodyBytes(executed.body))
    return executed
  } catch (error) {
    if (type !== OperationTypeNode.MUTATION || executed.isRefused) throw error
    return toExecuted(toFailedResult(doneWithoutResult('there is no memory for its result')))
  }
}

/** Rounds the numbers of a cost up to integers. */
const roundCost = ({ requested, actual, limit }: Cost): Cost => ({
  requested: Math.ceil(requested),
  actual: Math.ceil(actual),
  limit
})

/** Returns the cost for the client. The actual cost depends on hidden templates, so a rule omits it. */
const toShownCost = ({ cost, rule }: Operation) => ({
  ...roundCost(cost),
  ...(rule && { actual: undefined })
})

/** Throws if the request or its token does not allow operations of a type. */
function checkAllowed({ request, reply }: GraphqlExchange, type: OperationTypeNode): void {
  if (type === OperationTypeNode.MUTATION && request.method === 'GET') {
    reply.header('Allow', 'POST')
    throw methodNotAllowed('a mutation by GET')
  }
  if (type !== OperationTypeNode.MUTATION) requireReadScope(request, reply)
  const isSubscription = type === OperationTypeNode.SUBSCRIPTION
  if (isSubscription && !acceptsEvents(request.headers.accept)) throw needsEvents()
}

/** Returns the sender of an authenticated request. */
export function readCaller(request: FastifyRequest): Caller {
  const { sub, client_id, scopes, mayPublish, role, rule, name } = getToken(request)
  const { headers, ip } = request
  const key = headers['idempotency-key']
  return {
    subject: sub,
    clientId: client_id,
    scopes,
    mayPublish,
    role,
    rule,
    name,
    address: ip || null,
    idempotencyKey: key === undefined ? null : String(key),
    lastEventId: headers['last-event-id']?.toString() || null
  }
}

/** The code of the error if the client has gone, such as a page whose user has typed another letter. */
const clientGone = 'CLIENT_GONE'

/** Counts the errors of an executed operation, and logs why it has no result. */
function noteErrors({ log, server }: FastifyRequest, { errors = [], failure }: ExecutedOperation): void {
  const codes = new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'OTHER')))
  for (const code of codes) server.productMetrics.counter('graphql_errors_total').inc({ code })
  if (codes.has(clientGone)) log.info({ statusCode: 499 }, 'the client has gone before the response')
  else if (failure) log.warn({ reason: failure }, 'the operation ended without a result')
}
