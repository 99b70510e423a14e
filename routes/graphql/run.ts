import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OperationTypeNode } from 'graphql'
import type { Change } from '../../db/templates/revisions/changes.ts'
import { needsEvents } from '../../errors.ts'
import {
  type Caller,
  executeRequest,
  type GraphqlRequest,
  type Hooks,
  type Subscription
} from '../../graphql/execute.ts'
import { Operation } from '../../graphql/execution/operation.ts'
import type { NamedOperation } from '../../metrics/metrics.ts'
import type { ServiceSettings } from '../../options.ts'
import { requireScope } from '../../plugins/bearer-auth.ts'
import type { VerifiedToken } from '../../plugins/tokens.ts'
import { acceptsEvents, type MediaType } from '../responses/negotiation.ts'
import { type PendingResponse, whenClosed } from '../responses/pending-responses.ts'
import type { OperationQueue } from './operation-queue.ts'
import { makeResponse, mayKnowCost } from './own-response.ts'
import type { Execution } from './response-cache.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Cost of its GraphQL operation; null before it is known. */
    productCost: ReturnType<Operation['roundedCost']> | null
    /** Its GraphQL operation; null before its type is known. */
    productOperation: NamedOperation | null
  }
}

/** What GET and POST do differently. */
export interface MethodRules {
  /** The parameters as they came, or as a host's hook has replaced them. */
  readText(request: FastifyRequest): string
  /** Parses that text. */
  parse(request: FastifyRequest): Promise<GraphqlRequest>
  /** Throws if operations of a type are refused. */
  refuse?(reply: FastifyReply, type: OperationTypeNode): void
  /** Sets the headers for the client's cache. Resolves with whether the client has this body. */
  isUnchanged?(exchange: Exchange, body: Buffer[], coding?: string): Promise<boolean>
}

/** A request with what its response depends on. */
export interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
  type: MediaType
  /** `Version.templates`, read since the request arrived. */
  version: string
  rules: MethodRules
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

/** An exchange whose request is parsed already. */
export type ParsedExchange = Omit<Exchange, 'rules'> & { rules: Pick<MethodRules, 'refuse'> }

/**
 * Executes a request of an authenticated client; that of a subscription, once for the given event. Others may wait for the
 * `execution`.
 */
export async function runRequest(
  exchange: ParsedExchange,
  parameters: GraphqlRequest,
  { execution, event }: { execution?: Execution | undefined; event?: Event } = {}
): Promise<OwnResponse> {
  const { request, reply, type, version, settings } = exchange
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
  const leave: ((cost: number) => void)[] = []
  const enter = async (queue: OperationQueue, size: number) => {
    leave.push(await queue.enter(productToken?.jti ?? '', size, operation.signal))
  }
  let begun = 0
  try {
    const hooks: Hooks = {
      async start() {
        if (leave.length === 0) await enter(app.productOperationQueue, sizeOf(request, settings))
        begun ||= performance.now()
      },
      startLong: () => enter(app.productLongOperationQueue, 0),
      checkType(operationType, name) {
        checkAllowed(exchange, operationType)
        operation.isCacheable = operationType === OperationTypeNode.QUERY
        // What is no query is never shared.
        if (!operation.isCacheable) execution?.end()
        request.productOperation = app.productMetrics.findOperation(name, operationType)
      },
      startAgain() {
        operation = operation.startAgain()
        return operation
      },
      report: (err, errorId) => request.log.error({ err, errorId }, 'a resolver failed')
    }
    const given = { request: parameters, caller: callerOf(request), settings, links: linksOf(app) }
    const result = await executeRequest(app.graphql, { ...given, operation, subscription }, hooks)
    return { ...(await makeResponse(request, type, result, operation)), pending, subscription }
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
function checkAllowed({ request, reply, rules }: ParsedExchange, type: OperationTypeNode): void {
  rules.refuse?.(reply, type)
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

/** Bytes of a request. A body without a length counts as the largest. */
function sizeOf({ method, headers, url }: FastifyRequest, { graphqlMaxBodySize }: ServiceSettings): number {
  return method === 'GET' ? url.length : Number(headers['content-length'] ?? graphqlMaxBodySize)
}
