import { GraphQLError } from 'graphql'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import { maxStatementCostInLoop, resultKilobyteCost } from '../../db/templates/costs.ts'
import { type Meter, takeTurn } from '../../db/templates/meter.ts'
import type { ServiceSettings } from '../../options.ts'
import { ExecuteAgain, type ReadMode } from '../context.ts'

interface OperationLimits {
  settings: ServiceSettings
  /** Takes memory for bytes of the result, or gives it back if they are negative. Throws if there is too little. */
  takeMemory: (bytes: number) => void
  /** Aborts when the client has gone. */
  client: AbortSignal
  /** Whether errors tell the cost. It depends on all templates, also on those that a rule does not permit. */
  tellsCost: boolean
}

/** The code of the error if the client has gone, such as a page whose user types on. */
export const clientGone = 'CLIENT_GONE'

/**
 * A running GraphQL operation: its budget, result and deadline. Its evaluations run one after another, so that it holds
 * one database connection and the event loop serves others in between.
 */
export class Operation implements Meter {
  /** For reading: its statements end with the operation. */
  readonly db: Db
  /** For writing: a write finishes even after the operation has ended. */
  readonly store: Db
  /** The cost that its arguments ask for, the actual cost and the maximum. */
  readonly cost: { requested: number; actual: number; limit: number }
  readonly signal: AbortSignal
  /** `Version.templates`, read since the request arrived. */
  readonly version: string
  /** What is already written as JSON (json.ts), and its place in the data: `['products', 'nodes', 0, 'document']`. */
  readonly written: { path: (string | number)[]; json: object }[] = []
  /** Whether its result depends on the templates alone, and not on when it runs. */
  isCacheable = true
  /** Whether nobody, not even its client, may keep its result. */
  isSecret = false
  /** Whether its statements block the event loop; known before templates are read. */
  blocksLoop = false
  /** Added to the error if it takes too long now: what became of it, and what helps. */
  advice = ''
  /** Where it reads, if it lists templates. */
  mode: ReadMode = 'replica'
  readonly #given: Db
  readonly #limits: OperationLimits
  readonly #ended = new AbortController()
  readonly #deadline: NodeJS.Timeout
  readonly #endsAt: number
  #last: Promise<unknown> = Promise.resolve()
  /** The cost that counts for the limit: all but the cost of the result's bytes. */
  #spent = 0
  #bytes = 0

  /** `endsAt` is its deadline as of performance.now(). */
  constructor(
    db: Db,
    version: string,
    limits: OperationLimits,
    endsAt = performance.now() + limits.settings.graphqlTimeout * 1000
  ) {
    const { settings, client } = limits
    this.#given = db
    this.#limits = limits
    this.version = version
    this.cost = { requested: 0, actual: 0, limit: settings.graphqlMaxCost }
    this.signal = this.#ended.signal
    this.db = operationDb(db, { signal: this.signal })
    this.store = operationDb(db)
    this.#endsAt = endsAt
    const late = () =>
      toError(`the operation took longer than ${settings.graphqlTimeout} seconds${this.advice}`, 'TIMEOUT')
    this.#deadline = setTimeout(() => this.end(late()), endsAt - performance.now())
    const leave = () => this.end(toError('the client has gone', clientGone))
    client.addEventListener('abort', leave, { signal: this.signal })
    if (client.aborted) leave()
  }

  /** Aborts all work of the operation. Its result is then this error alone, unless it had ended before. */
  end(error: unknown): void {
    clearTimeout(this.#deadline)
    this.#ended.abort(error)
  }

  /** Aborts what still runs when the result is complete: after a field has failed, the executor does not stop the others. */
  close(): void {
    this.end(resultIsComplete)
  }

  /** Sets the requested cost, and the limit: the maximum, or `allowed` if that is more. Throws COST_LIMIT. */
  requestCost(cost: number, allowed: number): void {
    this.cost.requested = cost
    this.cost.limit = Math.max(this.#limits.settings.graphqlMaxCost, allowed)
    if (cost > this.cost.limit) throw this.#exceedCost(cost)
  }

  /** Ends the operation with {@link ExecuteAgain} before a statement that would block the event loop for long. */
  checkStatement(cost: number): void {
    if (this.blocksLoop && cost > maxStatementCostInLoop) this.#fail(new ExecuteAgain('thread'))
  }

  /** Ends it without a result. Returns one to execute in its place, with the same deadline, to which its cost counts. */
  startAgain(mode: ReadMode): Operation {
    this.close()
    this.#limits.takeMemory(-this.#bytes)
    const again = new Operation(this.#given, this.version, this.#limits, this.#endsAt)
    again.cost.actual = this.cost.actual
    again.mode = mode
    return again
  }

  spend(cost: number): void {
    // Refused work is not done, so it is not counted.
    if (this.#spent + cost > this.cost.limit) this.#fail(this.#exceedCost(this.#spent + cost))
    this.cost.actual += cost
    this.#spent += cost
  }

  async turn(): Promise<void> {
    this.signal.throwIfAborted()
    await takeTurn()
    this.signal.throwIfAborted()
  }

  /** Resolves with the result. Rejects as soon as the operation ends, without waiting for its unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const fail = () => reject(this.signal.reason)
    if (this.signal.aborted) fail()
    else this.signal.addEventListener('abort', fail, { once: true })
    return Promise.race([result, promise])
  }

  /**
   * Runs work after all work before it. If the operation ends first, only {@link race} rejects. Never await another
   * evaluation inside: it is queued behind this one, and both would wait for ever.
   */
  evaluate<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#last.then(async () => {
      await takeTurn()
      return this.signal.aborted ? neverSettle<T>() : work()
    })
    this.#last = run.catch(() => {})
    return run
  }

  /** Returns the cost rounded up to integers. */
  roundedCost() {
    const { requested, actual, limit } = this.cost
    return { requested: Math.ceil(requested), actual: Math.ceil(actual), limit }
  }

  /** Counts bytes of the result. Throws RESULT_TOO_LARGE, or what `takeMemory` throws. */
  addBytes(bytes: number): void {
    const { settings, takeMemory } = this.#limits
    const maxResultSize = settings.graphqlMaxResultSize
    this.#bytes += bytes
    this.cost.actual += (bytes / 1024) * resultKilobyteCost
    if (this.#bytes > maxResultSize)
      this.#fail(toError(`the result exceeds ${maxResultSize} bytes; request less`, 'RESULT_TOO_LARGE'))
    try {
      takeMemory(bytes)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    this.end(error)
    throw this.signal.reason
  }

  #exceedCost(spent: number): GraphQLError {
    if (!this.#limits.tellsCost) return toError('the operation costs more than the limit', 'COST_LIMIT')
    const { limit } = this.cost
    const cost = Math.ceil(spent)
    return toError(`the operation costs ${cost}; the limit is ${limit}`, 'COST_LIMIT', { cost, limit })
  }
}

const toError = (message: string, code: string, more: object = {}): GraphQLError =>
  new GraphQLError(message, { extensions: { code, ...more } })

/** Never settles: after the end of an operation, thousands of errors of its fields would hold up the event loop. */
const neverSettle = <T>() => new Promise<T>(() => {})

const resultIsComplete = toError('the result is complete', 'COMPLETE')
