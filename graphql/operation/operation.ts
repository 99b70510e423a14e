import { OperationTypeNode } from 'graphql'
import { type Actor, findActorNames } from '../../db/accounts/names.ts'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { type ErrorReason, makeError } from '../errors.ts'
import type { Cost, OperationInput, QueueSlot, SubscriptionStart } from './input.ts'
import { Lifetime } from './lifetime.ts'
import { Reader } from './reader.ts'

/** Characters of documents that a query reads on the service's thread. To parse and write them takes 50 ms. */
export const maxMainThreadCharacters = 2 ** 18
/** Characters of documents that another operation reads, which cannot move to a worker thread. */
const maxOtherCharacters = 2 ** 21
/** How much a character counts if it is written or hashed without parsing the document. 3.4 million take 10 ms. */
export const unparsedCharacterWeight = 1 / 16

/** Thrown if an operation is too large for the service's thread: it then runs as a whole on a worker thread. */
export const needsWorkerThread = new Error('the operation runs on a worker thread')

/**
 * An operation of a request: its time, its cost, its rights and its reads. graphql-js passes the operation to the
 * resolvers as their context, with the type {@link FieldContext}.
 */
export class Operation extends Lifetime {
  readonly input: OperationInput
  readonly caller: OperationInput['caller']
  /** The templates that the caller may see and write; undefined: all. */
  readonly rule: TemplateRule | undefined
  readonly settings: ServiceSettings
  readonly cost: Cost
  readonly reader: Reader
  /** Known when the operation is admitted. */
  type: OperationTypeNode | undefined
  /** undefined before it has started. */
  slot: QueueSlot | undefined
  /** Whether the response may be cached for equal requests until a template changes. */
  isCacheable = true
  /** If true, the response must not be cached anywhere. */
  isSecret = false
  /** Whether a field of a mutation is done. Then the operation must not be executed again. */
  hasWritten = false
  /** The start of a subscription, which has no result. */
  subscription: SubscriptionStart | undefined
  /** The addition to the timeout error: what became of the operation and what helps, for people and for programs. */
  timeoutNote: { advice: string; reason: ErrorReason } | undefined
  /** Characters of documents that it has read. */
  #charactersRead = 0
  #isMoved = false

  /** Its time begins now. Call `finish` when it has been executed. */
  constructor(input: OperationInput) {
    const { caller, settings, milliseconds = settings.graphqlTimeout * 1000 } = input
    super(milliseconds, () => this.#makeTimeoutError())
    this.input = input
    this.caller = caller
    this.rule = caller.rule
    this.settings = settings
    this.reader = new Reader(this)
    this.cost = { requested: 0, actual: 0, limit: settings.graphqlMaxCost }
  }

  /** The database for writing. Its statements finish even after the operation has ended. */
  get writeDb(): Db {
    return operationDb(this.input.db)
  }

  /** Sets the requested cost. Throws COST_LIMIT if the cost exceeds the limit, which is at least `minimumLimit`. */
  requestCost(requested: number, minimumLimit: number): void {
    const { cost } = this
    cost.requested = requested
    cost.limit = Math.max(cost.limit, minimumLimit)
    if (requested <= cost.limit) return
    const exceeded = { cost: Math.ceil(requested), limit: cost.limit }
    throw makeError(
      `the operation costs ${exceeded.cost}; the limit is ${cost.limit}`,
      'COST_LIMIT',
      exceeded
    )
  }

  /** Moves a query that turns out to be large to a worker thread, where it begins again: it writes nothing. */
  moveToWorkerThreadIf(isLarge: boolean): void {
    if (isLarge && this.type === OperationTypeNode.QUERY) this.moveToWorkerThread()
  }

  /** Throws {@link needsWorkerThread} if there are worker threads. */
  moveToWorkerThread(): void {
    if (!this.input.threads) return
    this.#isMoved = true
    this.interrupt(needsWorkerThread)
    throw needsWorkerThread
  }

  /** Finds the names of people. The response is then not cached, because names may change without the templates. */
  findNames(actors: Actor[]): ReturnType<typeof findActorNames> {
    this.isCacheable = false
    return findActorNames(this.reader.primary, actors)
  }

  /** Counts characters of documents. Too many move a query to a thread, or throw RESULT_TOO_LARGE. */
  countRead(characters: number): void {
    this.#charactersRead += characters
    this.moveToWorkerThreadIf(this.#charactersRead > maxMainThreadCharacters)
    if (this.type !== 'query' && this.#charactersRead > maxOtherCharacters)
      throw makeError('the result has too many long documents; read them with a query', 'RESULT_TOO_LARGE')
  }

  /** Throws why it has ended on this thread, if it has. */
  override assertRunning(): void {
    super.assertRunning()
    if (this.#isMoved) throw needsWorkerThread
  }

  /**
   * Ends what still runs when the result is complete: after a field has failed, graphql-js does not stop the others.
   */
  finish(): void {
    this.end(resultIsComplete)
    this.reader.endSnapshot()
  }

  #makeTimeoutError() {
    const { advice = '', ...reason } = this.timeoutNote ?? {}
    const seconds = this.settings.graphqlTimeout
    return makeError(`the operation took longer than ${seconds} seconds${advice}`, 'TIMEOUT', reason)
  }
}

const resultIsComplete = makeError('the result is complete', 'COMPLETE')
