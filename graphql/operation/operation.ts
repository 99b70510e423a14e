import { OperationTypeNode } from 'graphql'
import { type Actor, findActorNames } from '../../db/accounts/actors.ts'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { type ErrorReason, makeError } from '../errors.ts'
import type { Cost, OperationInput, QueueSlot, SubscriptionStart } from './input.ts'
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
 * An operation of a request: its time, its cost, its rights and its reads. It ends when the result is complete, the
 * time is over, or the client has gone. graphql-js passes the operation to the resolvers as their context, with the
 * type {@link FieldContext}.
 */
export class Operation {
  readonly input: OperationInput
  readonly caller: OperationInput['caller']
  /** The templates that the caller may see and write; undefined: all. */
  readonly rule: TemplateRule | undefined
  readonly settings: ServiceSettings
  readonly cost: Cost
  readonly reader: Reader
  /** Known when the operation is admitted or moves to a worker thread. */
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
  /** An addition to the timeout error: advice for people, and a reason for programs. */
  timeoutNote: { advice: string; reason: ErrorReason } | undefined
  /** Why it has ended. */
  #reason: unknown
  /** A time of performance.now(). */
  #endsAt: number
  #deadline: NodeJS.Timeout
  #abort: AbortController | undefined
  #rejectRace: ((reason: unknown) => void) | undefined
  #isMoved = false
  /** Characters of documents that it has read. */
  #charactersRead = 0

  /** Its time begins now. Call `finish` when it has been executed. */
  constructor(input: OperationInput) {
    const { caller, settings, milliseconds = settings.graphqlTimeout * 1000 } = input
    this.input = input
    this.caller = caller
    this.rule = caller.rule
    this.settings = settings
    this.reader = new Reader(this)
    this.cost = { requested: 0, actual: 0, limit: settings.graphqlMaxCost }
    this.#endsAt = performance.now() + milliseconds
    this.#deadline = setTimeout(Operation.#timeOut, milliseconds, this)
  }

  /** The database for writing. Its statements finish even after the operation has ended. */
  get writeDb(): Db {
    return operationDb(this.input.db)
  }

  /** Milliseconds until its time is over. */
  get millisecondsLeft(): number {
    return Math.max(0, this.#endsAt - performance.now())
  }

  /** Aborts when it ends, with the reason. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#reason !== undefined) this.#abort.abort(this.#reason)
    return this.#abort.signal
  }

  /** Settles like the result. Rejects as soon as this ends or moves, without waiting for unfinished work. */
  race<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) reject(this.#reason)
      this.#rejectRace = reject
      result.then(resolve, reject)
    })
  }

  /** Ends it. Only the first reason counts. */
  end(reason: unknown): void {
    clearTimeout(this.#deadline)
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#abort?.abort(reason)
    this.#rejectRace?.(reason)
  }

  /** Extends the deadline by `milliseconds`. */
  waitLonger(milliseconds: number): void {
    this.#endsAt += milliseconds
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(Operation.#timeOut, this.millisecondsLeft, this)
  }

  /** Throws if the operation has ended, or has moved to a worker thread. */
  assertRunning(): void {
    if (this.#reason !== undefined) throw this.#reason
    if (this.#isMoved) throw needsWorkerThread
  }

  /** Moves a query that turns out to be large to a worker thread, where it begins again: it writes nothing. */
  moveToWorkerThreadIf(isLarge: boolean): void {
    if (isLarge && this.type === OperationTypeNode.QUERY) this.moveToWorkerThread()
  }

  /** Throws {@link needsWorkerThread} if there are worker threads. The operation may move before it is admitted. */
  moveToWorkerThread(type = this.type): void {
    if (!this.input.threads) return
    this.type = type
    this.#isMoved = true
    this.#rejectRace?.(needsWorkerThread)
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

  /**
   * Ends the fields that still run when the result is complete: graphql-js does not stop them after another has failed.
   */
  finish(): void {
    this.end(resultIsComplete)
    this.reader.endSnapshot()
  }

  /** One function for all operations, because a closure for each takes more time. */
  static #timeOut(operation: Operation): void {
    const { advice = '', ...reason } = operation.timeoutNote ?? {}
    const seconds = operation.settings.graphqlTimeout
    operation.end(makeError(`the operation took longer than ${seconds} seconds${advice}`, 'TIMEOUT', reason))
  }
}

const resultIsComplete = makeError('the result is complete', 'COMPLETE')
