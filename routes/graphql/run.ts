import type { FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { Change } from '../../db/templates/changes/changes.ts'
import { versionsOf } from '../../db/versions.ts'
import { methodNotAllowed, needsEvents } from '../../errors.ts'
import { isUnresolved, type Result } from '../../graphql/errors.ts'
import { type Executed, executeRequest } from '../../graphql/execute.ts'
import { addExtensions } from '../../graphql/execution/json.ts'
import { type Cost, clientGone, Lifetime, mayKnowCost, roundCost } from '../../graphql/execution/operation.ts'
import type { Caller, GraphqlRequest } from '../../graphql/input.ts'
import type { ServiceSettings } from '../../options.ts'
import { checkTokenAgain, requireScope } from '../../plugins/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/tokens.ts'
import { acceptsEvents } from '../responses/negotiation.ts'
import { type PendingResponse, whenClosed } from '../responses/pending-responses.ts'
import { asksForCost, type GraphqlFacts } from './request.ts'
import type { SharedExecution } from './response-cache.ts'

/** A request with what its response depends on. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  facts: GraphqlFacts
  /** `Version.templates`, read since the request arrived. */
  version: string
  settings: ServiceSettings
}

/** Begins an exchange when the body has arrived. Rejects with 401 if the token has ended meanwhile. */
export async function beginExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  settings: ServiceSettings
): Promise<Exchange> {
  // Read now, so the response has everything that was committed before.
  const version = await versionsOf(request.server.productStore).now()
  await checkTokenAgain(request, reply, version)
  const facts = request.productGraphql as GraphqlFacts
  return { request, reply, facts, version: version.templates, settings }
}

/** A response that only its own request gets. */
export interface OwnResponse extends Executed {
  statusCode: number
  /** Memory of the body, until it is sent. */
  pending: PendingResponse
}

/** A change for which a subscription is executed. The caller closes `pending`. */
interface ChangeEvent {
  change: Change
  pending: PendingResponse
}

/**
 * Executes a request of an authenticated client when its token may start it. A subscription is executed once to begin, and
 * then for each `event`. With `shared`, equal requests may wait for the response.
 */
export async function runRequest(
  exchange: Exchange,
  parameters: GraphqlRequest,
  { shared, event }: { shared?: SharedExecution | undefined; event?: ChangeEvent } = {}
): Promise<OwnResponse> {
  const { request, reply, facts, settings } = exchange
  const { server: app, productToken } = request
  // Counted also after the client has left, while others wait.
  const pending = event?.pending ?? app.productPendingResponses.open()
  const lifetime = new Lifetime(settings.graphqlTimeout)
  const ignoreClient = whenClosed(reply.raw, () => shared?.isAwaited || lifetime.leave())
  const cost: Cost = { requested: 0, actual: 0, limit: settings.graphqlMaxCost }
  const place = app.productOperationQueue.enter(productToken?.jti ?? '', sizeOf(exchange), lifetime.signal)
  try {
    const input = inputOf(exchange, shared)
    const executed = await executeRequest(app.graphql, {
      ...input,
      request: parameters,
      change: event?.change,
      lifetime,
      cost,
      takeMemory: bytes => pending.add(bytes),
      place
    })
    noteErrors(request, executed)
    const tellsCost = asksForCost(request) && mayKnowCost(input.caller)
    const body = tellsCost ? addExtensions(executed.body, { cost: roundCost(cost) }) : executed.body
    return { ...executed, body, statusCode: statusCode(exchange, executed.result), pending }
  } finally {
    ignoreClient()
    lifetime.stop()
    if (!event) whenClosed(reply.raw, () => pending.close())
    facts.cost = roundCost(cost)
    // A request that ended while it waited has none.
    const entered = await place.catch(() => undefined)
    if (entered) facts.operation?.figures.countExecuted(cost.actual, entered.begun)
    entered?.leave(cost.actual)
  }
}

/** Returns what follows from the request and its token. */
function inputOf(exchange: Exchange, shared: SharedExecution | undefined) {
  const { request, facts, version, settings } = exchange
  const { server: app } = request
  return {
    db: app.productStore,
    version,
    settings,
    caller: callerOf(request),
    links: { issuer: app.productTokens.issuer, providers: app.productLoginProviders },
    checkType(type: OperationTypeNode, name: string | undefined) {
      checkAllowed(exchange, type)
      // Only queries are shared.
      if (type !== OperationTypeNode.QUERY) shared?.end()
      facts.operation = app.productMetrics.findOperation(name, type)
    },
    report: (err: unknown, errorId: string) => request.log.error({ err, errorId }, 'a resolver failed')
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

/** `requireToken` has set the token. */
function callerOf({ productToken, headers, ip }: FastifyRequest): Caller {
  const { sub, client_id, scopes, mayPublish, role, rule, name } = productToken as VerifiedToken
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

/** Returns the bytes of a request. A body without a length counts as the largest. */
function sizeOf({ request: { method, headers, url }, settings: { graphqlMaxBodySize } }: Exchange): number {
  return method === 'GET' ? url.length : Number(headers['content-length'] ?? graphqlMaxBodySize)
}

/** Counts the errors of an executed request, and logs why it has no result. */
function noteErrors({ log, server }: FastifyRequest, { result: { errors = [] }, failure }: Executed): void {
  const codes = new Set(errors.map(({ extensions }) => String(extensions?.code ?? 'OTHER')))
  for (const code of codes) server.productMetrics.counter('graphql_errors_total').inc({ code })
  if (codes.has(clientGone)) log.info({ statusCode: 499 }, 'the client has gone before the response')
  else if (failure) log.warn({ reason: failure.message }, 'a result could not be sent')
}

/** GraphQL over HTTP, "Status Codes": with `application/json`, every well-formed request gets 200. */
function statusCode({ request: { method }, facts: { type } }: Exchange, result: Result): number {
  // The protocol of graphql-sse has all errors of a document in an event.
  if ('data' in result || type === 'text/event-stream') return 200
  // GET allows only queries, and this operation cannot be determined.
  if (method === 'GET' && isUnresolved(result)) return 400
  return type === 'application/json' ? 200 : 400
}
