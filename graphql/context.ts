/** What an operation is executed with, and the errors that its resolvers throw. */
import { type ASTNode, GraphQLError, type OperationTypeNode } from 'graphql'
import type { Db } from '../db/schema.ts'
import type { TemplateSnapshot } from '../db/templates/read/snapshot.ts'
import type { Change } from '../db/templates/revisions/changes.ts'
import type { TemplateRule } from '../db/templates/rules/rule.ts'
import type { ServiceSettings } from '../options.ts'
import type { Operation } from './execution/operation.ts'
import type { Reading } from './execution/reading.ts'

/** An error with the code BAD_USER_INPUT, which Apollo's clients know. */
export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

export const forbidden = (message: string) => new GraphQLError(message, { extensions: { code: 'FORBIDDEN' } })

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
  scopes: ReadonlySet<string>
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

/** A subscription. It is executed once without a change, which begins it, and then for each change. */
export interface Subscription {
  change?: Change | undefined
  /** What the field asks for: changes after a position, with a rule besides that of the caller. */
  begun?: { position: number; where: TemplateRule | undefined }
}

/** Where people log in. */
interface Links {
  /** The address of the service. */
  issuer(): string
  providers: { provider: { id: string; name: string; issuer: string } }[]
}

/** The context of the resolvers. */
export interface Context {
  reading: Reading
  /** For writing: a write finishes even after the operation has ended. */
  store: Db
  operation: Operation
  caller: Caller
  subscription: Subscription
  settings: ServiceSettings
  links: Links
}

/** The context of an execution, from before its document is parsed. `prepareExecution` sets the optional fields. */
export interface ExecutionContext extends Omit<Context, 'reading'> {
  /** Undefined before the operation is admitted. */
  reading?: Reading
  request: GraphqlRequest
  hooks: Hooks
  /** The type of the operation; undefined before it is admitted. */
  admittedType?: OperationTypeNode
  /** What an operation that lists templates reads; undefined for others. It may open after the operation has ended. */
  snapshot?: Promise<TemplateSnapshot>
}

/** Callbacks of the route. */
export interface Hooks {
  /** Resolves when a long operation may read. */
  startLong(): Promise<void>
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  /** Logs an error that was masked for the caller, with the id that the caller gets. */
  report(error: unknown, errorId: string): void
}

/**
 * Where an operation reads templates: on the replica if there is one, or else on the database; on a thread if its statements
 * may take long, and must not block the event loop.
 */
export type ReadMode = 'replica' | 'database' | 'thread'

/**
 * The operation has to be executed again, because it reads for too long, or because a replica failed. It rejects what the
 * resolvers wait for, and `runRequest` (routes/graphql/run.ts) catches it.
 */
export class ExecuteAgain extends Error {
  readonly mode: ReadMode

  constructor(mode: ReadMode) {
    super('the operation is executed again')
    this.mode = mode
  }
}
