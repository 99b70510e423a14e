import { OperationTypeNode } from 'graphql'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { makeError } from '../errors.ts'
import type { Cost, OperationInput, SubscriptionStart } from './input.ts'
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
 * An operation of a request, on the thread where it runs. graphql-js passes it to the resolvers as their context, with
 * the type {@link FieldContext}.
 */
export class Operation {
  readonly input: OperationInput
  readonly caller: OperationInput['caller']
  /** The templates that the caller may see and write; undefined: all. */
  readonly rule: TemplateRule | undefined
  readonly settings: ServiceSettings
  readonly lifetime: Lifetime
  readonly reader: Reader
  readonly cost: Cost
  /** Known when the operation is admitted or moves to a worker thread. */
  type: OperationTypeNode | undefined
  /** Whether the response may be cached for equal requests until a template changes. */
  isCacheable = true
  /** If true, the response must not be cached anywhere. */
  isSecret = false
  /** Whether a field of a mutation is done. Then the operation must not be executed again. */
  hasWritten = false
  /** The start of a subscription, which has no result. */
  subscription: SubscriptionStart | undefined
  #isMoved = false
  /** Characters of documents that it has read. */
  #charactersRead = 0

  /** Its lifetime begins now. {@link executeOperation} ends it. */
  constructor(input: OperationInput) {
    const { caller, settings, milliseconds } = input
    this.input = input
    this.caller = caller
    this.rule = caller.rule
    this.settings = settings
    this.lifetime = new Lifetime(settings.graphqlTimeout, milliseconds)
    this.reader = new Reader(this)
    this.cost = { requested: 0, actual: 0, limit: settings.graphqlMaxCost }
  }

  /** The database for writing. Its statements finish even after the operation has ended. */
  get writeDb(): Db {
    return operationDb(this.input.db)
  }

  /** Throws if the operation has ended, or has moved to a worker thread. */
  assertRunning(): void {
    this.lifetime.throwIfEnded()
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
    this.lifetime.interrupt(needsWorkerThread)
    throw needsWorkerThread
  }

  /** Counts characters of documents. Too many move a query to a thread, or throw RESULT_TOO_LARGE. */
  countRead(characters: number): void {
    this.#charactersRead += characters
    this.moveToWorkerThreadIf(this.#charactersRead > maxMainThreadCharacters)
    if (this.type !== 'query' && this.#charactersRead > maxOtherCharacters)
      throw makeError('the result has too many long documents; read them with a query', 'RESULT_TOO_LARGE')
  }
}
