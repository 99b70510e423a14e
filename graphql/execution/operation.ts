import type { GraphQLError } from 'graphql'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { resultKilobyteCost, textCostPerCharacter } from '../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../db/templates/filter/filter.ts'
import { type Plan, planFilter } from '../../db/templates/filter/plan.ts'
import { takeTurn } from '../../event-loop.ts'
import { inSpan } from '../../tracing.ts'
import { type ErrorReason, makeError } from '../errors.ts'
import type { Caller, ExecutionInput } from '../input.ts'

/** The code of the error if the client has gone, such as a page whose user types on. */
export const clientGone = 'CLIENT_GONE'

/** The time that a request may take, whether it is executed once or twice. Ends early if its client leaves. */
export class Lifetime {
  /** Added to the error if time is over now: what became of the operation and what helps, for people and for programs. */
  ifLate: { advice: string; reason: ErrorReason } | undefined
  readonly #ended = new AbortController()
  readonly #deadline: NodeJS.Timeout

  constructor(seconds: number) {
    const late = () => {
      const { advice = '', ...reason } = this.ifLate ?? {}
      return makeError(`the operation took longer than ${seconds} seconds${advice}`, 'TIMEOUT', reason)
    }
    this.#deadline = setTimeout(() => this.#ended.abort(late()), seconds * 1000)
  }

  /** Aborts when the lifetime ends, with the error for the caller. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Ends it because the client has gone. */
  leave(): void {
    this.#ended.abort(makeError('the client has gone', clientGone))
  }

  /** Stops the clock when the request has been executed. */
  stop(): void {
    clearTimeout(this.#deadline)
  }
}

/** The cost of a request in all its executions: what its arguments ask for, what it has cost, and the maximum. */
export interface Cost {
  requested: number
  actual: number
  limit: number
}

/** The cost depends on all templates, also on those that a rule does not permit. */
export const mayKnowCost = ({ rule }: Caller): boolean => rule === undefined

/** Rounds the figures of a cost up to integers. */
export const roundCost = ({ requested, actual, limit }: Cost): Cost => ({
  requested: Math.ceil(requested),
  actual: Math.ceil(actual),
  limit
})

/** An execution of a GraphQL operation: its budget, its end and its plans. Resolvers see only its `Reading`. */
export class Operation {
  readonly input: ExecutionInput
  /** For reading: its statements end with the operation. */
  readonly db: Db
  /** For writing: a write finishes even after the operation has ended. */
  readonly store: Db
  /** Aborts when the operation ends. */
  readonly signal: AbortSignal
  readonly #ended = new AbortController()
  readonly #plans = new Map<string, Promise<Plan>>()
  /** The cost of this execution that counts for the limit: all but the cost of the result's bytes. */
  #spent = 0
  #bytes = 0

  constructor(input: ExecutionInput) {
    this.input = input
    this.signal = this.#ended.signal
    this.db = operationDb(input.db, { signal: this.signal })
    this.store = operationDb(input.db)
    const { signal: outer } = input.lifetime
    const end = () => this.#ended.abort(outer.reason)
    outer.addEventListener('abort', end, { signal: this.signal })
    if (outer.aborted) end()
  }

  /** Aborts what still runs when the result is complete: after a field has failed, the executor does not stop the others. */
  close(): void {
    this.#ended.abort(resultIsComplete)
  }

  /** Aborts all work of the operation, and throws the error. If it had ended before, throws why. */
  fail(error: unknown): never {
    this.#ended.abort(error)
    throw this.signal.reason
  }

  /** Sets the requested cost, and raises the limit to `allowed`. Throws COST_LIMIT. */
  requestCost(requested: number, allowed: number): void {
    const { cost } = this.input
    cost.requested = requested
    cost.limit = Math.max(cost.limit, allowed)
    if (requested > cost.limit) throw this.#exceedCost(requested)
  }

  spend(more: number): void {
    const { cost } = this.input
    // Refused work is not done, so it is not counted.
    if (this.#spent + more > cost.limit) this.fail(this.#exceedCost(this.#spent + more))
    cost.actual += more
    this.#spent += more
  }

  /** Counts bytes of the result. Throws RESULT_TOO_LARGE, or what `takeMemory` throws. */
  addBytes(bytes: number): void {
    const { settings, takeMemory, cost } = this.input
    const maxSize = settings.graphqlMaxResultSize
    this.#bytes += bytes
    cost.actual += (bytes / 1024) * resultKilobyteCost
    try {
      if (this.#bytes > maxSize) throw tooLarge(maxSize)
      takeMemory(bytes)
    } catch (error) {
      this.fail(error)
    }
  }

  /** Gives back the memory of a result that nobody gets. */
  discard(): void {
    this.input.takeMemory(-this.#bytes)
  }

  async turn(): Promise<void> {
    this.signal.throwIfAborted()
    await takeTurn()
    this.signal.throwIfAborted()
  }

  /**
   * Plans `where` together with the rule of the caller. Equal filters share a plan, so their matches are found once. Rejects
   * if `where` is wrong.
   */
  plan(db: Db, where: FilterInput | null | undefined): Promise<Plan> {
    const text = JSON.stringify(where ?? {})
    const plan = this.#plans.get(text) ?? inSpan('plan', {}, () => this.#createPlan(db, where, text))
    this.#plans.set(text, plan)
    return plan
  }

  async #createPlan(db: Db, where: FilterInput | null | undefined, text: string): Promise<Plan> {
    const { rule } = this.input.caller
    await this.turn()
    const filter = toFilter(where, rule)
    this.spend((text.length + (rule?.text.length ?? 0)) * textCostPerCharacter)
    return planFilter(db, filter)
  }

  /** Resolves with the result. Rejects as soon as the operation ends, without waiting for its unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const fail = () => reject(this.signal.reason)
    if (this.signal.aborted) fail()
    else this.signal.addEventListener('abort', fail, { once: true })
    return Promise.race([result, promise])
  }

  #exceedCost(spent: number): GraphQLError {
    const { caller, cost } = this.input
    if (!mayKnowCost(caller)) return makeError('the operation costs more than the limit', 'COST_LIMIT')
    const { limit } = cost
    const whole = Math.ceil(spent)
    return makeError(`the operation costs ${whole}; the limit is ${limit}`, 'COST_LIMIT', {
      cost: whole,
      limit
    })
  }
}

const tooLarge = (max: number) =>
  makeError(`the result exceeds ${max} bytes; request less`, 'RESULT_TOO_LARGE')

const resultIsComplete = makeError('the result is complete', 'COMPLETE')
