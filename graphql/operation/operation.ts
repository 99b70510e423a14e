import { type GraphQLError, OperationTypeNode } from 'graphql'
import type { VerifiedToken } from '../../accounts/credentials/verified-token.ts'
import type { Actor } from '../../db/accounts/actors.ts'
import { operationDb } from '../../db/dialects/engine.ts'
import type { Db } from '../../db/schema.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import { makeError, type Report } from '../errors.ts'
import type { WorkerThreads } from '../threads/pool.ts'
import { Lifetime } from './lifetime.ts'
import { Reader } from './reader.ts'

/** The parameters of a request: GraphQL over HTTP, "Request Parameters". */
export interface GraphqlRequestParameters {
  /** The text of its document, or why it has none. */
  query: string | GraphQLError
  variables?: Record<string, unknown> | null | undefined
  operationName?: string | null | undefined
}

/** The sender of a request, from its access token: the actor in the audit trail and, with a message, an author. */
export interface Caller
  extends Actor,
    Pick<VerifiedToken, 'scopes' | 'mayPublish' | 'role' | 'rule' | 'name'> {
  subject: string
  clientId: string
  /** The network address of the request; null if there is none. */
  address: string | null
  /** The header Idempotency-Key; null if absent. */
  idempotencyKey: string | null
  /** The header Last-Event-ID of a client that connects again; null if absent. */
  lastEventId: string | null
}

/** The start of a subscription: a position in the feed, and the filter of the subscription. */
export interface SubscriptionStart {
  position: number
  where: TemplateRule | undefined
}

/** The parameters of an operation, its caller and the tools to execute it. */
export interface OperationInput {
  parameters: GraphqlRequestParameters
  caller: Caller
  settings: ServiceSettings
  /** Returns the address of the service, for links. */
  issuer(): string
  /** The change for which a subscription is executed. When the subscription begins, there is none. */
  change?: Change | undefined
  /** The database as it was opened. */
  db: Db
  /** The threads for large operations. Without them, everything runs on this thread. */
  threads?: WorkerThreads | undefined
  /** The `jti` of the token, by which threads are shared out. */
  token?: string
  /** `Version.templates`, read after the request had arrived. A replica must have it. */
  templatesVersion: string
  /** Maximum milliseconds of the operation; as in the settings if absent. */
  milliseconds?: number
  /** Waits until the operation may start. Rejects with the reason of the signal, which is made only if it waits. */
  waitForTurn?(getSignal: () => AbortSignal): Promise<void>
  /** Called when the type of the operation is known. Throws the error to refuse the request with. */
  onType?(type: OperationTypeNode, name: string | undefined): void
  report: Report
}

/** The requested cost of an operation, its actual cost and the maximum, each in units of 10 microseconds. */
export interface Cost {
  requested: number
  actual: number
  limit: number
}

/** Characters of documents that a query reads on the service's thread. To parse and write them takes 50 ms. */
export const maxMainThreadCharacters = 2 ** 18
/** Characters of documents that a mutation or a subscription reads: once it runs, it cannot move to another thread. */
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
  /** undefined before the document is parsed. */
  type: OperationTypeNode | undefined
  /** Whether it has passed all checks. {@link admit} sets this, before any resolver runs. */
  isAdmitted = false
  /** Whether the response may be cached for equal requests until a template changes. */
  isCacheable = true
  /** If true, the response must not be cached anywhere. */
  isSecret = false
  /** Whether a field of a mutation is done: {@link mutationField} sets this. The client must then not send it again. */
  mayHaveWritten = false
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
  moveToWorkerThread(): void {
    if (!this.input.threads) return
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
