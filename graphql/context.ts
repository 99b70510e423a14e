/** What an operation is executed with, what its resolvers get, and the errors that they throw. */
import { type ASTNode, GraphQLError, type OperationTypeNode } from 'graphql'
import type { Db } from '../db/schema.ts'
import type { NotAllowed } from '../db/templates/revisions/apply.ts'
import type { Change } from '../db/templates/revisions/changes.ts'
import type { TemplateRule } from '../db/templates/rules/rule.ts'
import type { ServiceSettings } from '../options.ts'
import type { Cost, Lifetime, Operation } from './execution/operation.ts'
import type { Output } from './execution/output.ts'
import type { Reading } from './execution/reading.ts'
import type { Report } from './result.ts'

/** An error with the code BAD_USER_INPUT, which Apollo's clients know. */
export const badInput = (message: string, nodes: readonly ASTNode[] | null = null) =>
  new GraphQLError(message, { nodes, extensions: { code: 'BAD_USER_INPUT' } })

/** What programs read in `extensions.reason`, as people do in the message. The explorer has words for each. */
export type ErrorReason = 'MISSING_SCOPE' | 'NOTHING_WRITTEN' | NotAllowed['reason']

export const forbidden = (reason: ErrorReason, message: string) =>
  new GraphQLError(message, { extensions: { code: 'FORBIDDEN', reason } })

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

/** What resolvers get of a request. */
interface ResolverInput {
  /** For writing: a write finishes even after the operation has ended. */
  store: Db
  settings: ServiceSettings
  links: Links
  caller: Caller
  lifetime: Lifetime
  /** The change for which a subscription is executed; undefined when it begins. */
  change: Change | undefined
}

/** A request, and what it is executed with. */
export interface ExecutionInput extends ResolverInput {
  request: GraphqlRequest
  /** The database as it was opened. */
  db: Db
  /** `Version.templates`, read since the request arrived. */
  version: string
  cost: Cost
  /** Takes memory for bytes of the result, or gives it back if they are negative. Throws if there is too little. */
  takeMemory(bytes: number): void
  /** Resolves when its operation may start. */
  started: Promise<void>
  /** Resolves when its second execution may read. */
  startLong(): Promise<void>
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  report: Report
}

/** The context of the resolvers. They read with `reading`. */
export interface Context extends ResolverInput {
  operation: Operation
  output: Output
  reading: Reading
}
