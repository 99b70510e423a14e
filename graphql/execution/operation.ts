import type { GraphQLError, OperationTypeNode } from 'graphql'
import type { Db } from '../../db/schema.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { OtherSnapshot } from '../../db/templates/snapshot.ts'
import type { ServiceSettings } from '../../options.ts'
import { type ErrorReason, makeError, type Report } from '../errors.ts'

/** A request of GraphQL over HTTP. */
export interface GraphqlRequest {
  /** The text of its document, or why it has none. */
  query: string | GraphQLError
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** Who sent a request, from its access token. */
export interface Caller {
  /** `sub`. */
  subject: string
  clientId: string
  scopes: readonly string[]
  /** Whether they may publish and delete templates. */
  mayPublish: boolean
  /** Of a user of this service. */
  role: string | null
  /** The templates that they may see and write; undefined: all. */
  rule: TemplateRule | undefined
  /** Of somebody whom only another issuer or the host knows; null if unknown. */
  name: string | null
  /** The network address of the request; null if there is none. */
  address: string | null
  /** The header Idempotency-Key; null if absent. */
  idempotencyKey: string | null
  /** The header Last-Event-ID of a client that connects again; null if absent. */
  lastEventId: string | null
}

/** What a subscription asks for: changes after a position, with a rule besides that of the caller. */
export interface SubscriptionStart {
  position: number
  where: TemplateRule | undefined
}

/** Where people log in. */
interface Links {
  /** The address of the service. */
  issuer(): string
  providers: { provider: { id: string; name: string; issuer: string } }[]
}

/** What a request is executed with. */
export interface OperationInput {
  request: GraphqlRequest
  caller: Caller
  settings: ServiceSettings
  links: Links
  /** The change for which a subscription is executed; undefined when it begins. */
  change: Change | undefined
  /** The database as it was opened. */
  db: Db
  /** `Version.templates`, read since the request arrived. A replica must have it. */
  version: string
  /** Waits until the operation may start. Rejects with the reason of the signal if it aborts. */
  enter(signal: AbortSignal): Promise<Place>
  /** Takes memory for bytes of the result, or gives it back if they are negative. Throws if there is too little. */
  takeMemory(bytes: number): void
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  report: Report
}

/** The place of an operation that has started. */
export interface Place {
  /** A time of performance.now(). */
  readonly begun: number
  /**
   * Waits until the operation may read for long. A second call waits for the same place. Rejects with the reason of the first
   * signal if it aborts.
   */
  enterLong(signal: AbortSignal): Promise<void>
  /** Call it with the cost when the operation ends. */
  leave(cost: number): void
}

/** What the arguments of an operation ask for, what it has cost, and the maximum. */
export interface Cost {
  requested: number
  actual: number
  limit: number
}

/** The code of the error if the client has gone, such as a page whose user types on. */
export const clientGone = 'CLIENT_GONE'

/** The operation of a request: its time and its cost, in all its executions. */
export class Operation {
  readonly input: OperationInput
  readonly cost: Cost
  /** undefined before it has started. */
  place: Place | undefined
  /** How its snapshot is opened. */
  readonly opening: OtherSnapshot
  /** Added to the error if time is over now: what became of the operation and what helps, for people and for programs. */
  ifLate: { advice: string; reason: ErrorReason } | undefined
  readonly #ended = new AbortController()
  readonly #deadline: NodeJS.Timeout

  /** Its time begins now. Call `stop` when it has been executed. */
  constructor(input: OperationInput) {
    const { graphqlMaxCost: limit, graphqlTimeout: seconds } = input.settings
    this.input = input
    this.cost = { requested: 0, actual: 0, limit }
    this.opening = { version: input.version }
    this.#deadline = setTimeout(() => this.#ended.abort(this.#makeTimeout(seconds)), seconds * 1000)
  }

  /** Aborts when time is over or the client has gone, with the error for the caller. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Ends it because the client has gone. */
  leave(): void {
    this.#ended.abort(makeError('the client has gone', clientGone))
  }

  /** Stops the clock. */
  stop(): void {
    clearTimeout(this.#deadline)
  }

  /** Waits until it may start. */
  async start(): Promise<void> {
    this.place ??= await this.input.enter(this.signal)
  }

  /** Sets the requested cost, and raises the limit to `allowed`. Throws COST_LIMIT. */
  requestCost(requested: number, allowed: number): void {
    this.cost.requested = requested
    this.cost.limit = Math.max(this.cost.limit, allowed)
    if (requested > this.cost.limit) throw this.makeCostError(requested)
  }

  /** Makes the error COST_LIMIT. */
  makeCostError(cost: number): GraphQLError {
    const { limit } = this.cost
    if (!mayKnowCost(this.input.caller))
      return makeError('the operation costs more than the limit', 'COST_LIMIT')
    const whole = Math.ceil(cost)
    return makeError(`the operation costs ${whole}; the limit is ${limit}`, 'COST_LIMIT', {
      cost: whole,
      limit
    })
  }

  #makeTimeout(seconds: number): GraphQLError {
    const { advice = '', ...reason } = this.ifLate ?? {}
    return makeError(`the operation took longer than ${seconds} seconds${advice}`, 'TIMEOUT', reason)
  }
}

/** The cost depends on all templates, also on those that a rule does not permit. */
export const mayKnowCost = ({ rule }: Caller): boolean => rule === undefined

/** Rounds the figures of a cost up to integers. */
export const roundCost = ({ requested, actual, limit }: Cost): Cost => ({
  requested: Math.ceil(requested),
  actual: Math.ceil(actual),
  limit
})
