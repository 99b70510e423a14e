/** What a request is executed with. */
import type { GraphQLError, OperationTypeNode } from 'graphql'
import type { Db } from '../db/schema.ts'
import type { Change } from '../db/templates/changes/changes.ts'
import type { TemplateRule } from '../db/templates/rule.ts'
import type { ServiceSettings } from '../options.ts'
import type { Report } from './errors.ts'
import type { Cost, Lifetime } from './execution/operation.ts'

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

/** A request, and what it is executed with. */
export interface ExecutionInput {
  request: GraphqlRequest
  caller: Caller
  settings: ServiceSettings
  links: Links
  /** The change for which a subscription is executed; undefined when it begins. */
  change: Change | undefined
  /** The database as it was opened. */
  db: Db
  lifetime: Lifetime
  /** `Version.templates`, read since the request arrived. A replica must have it; without it, none is used. */
  version: string | undefined
  /** Whether statements of its snapshot run on a thread if they would block the event loop. */
  onThread?: boolean | undefined
  cost: Cost
  /** Takes memory for bytes of the result, or gives it back if they are negative. Throws if there is too little. */
  takeMemory(bytes: number): void
  /** Resolves when its operation may start. `enterLong` waits until it may also read on a thread. */
  place: Promise<{ enterLong(signal: AbortSignal): Promise<void> }>
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  report: Report
}
