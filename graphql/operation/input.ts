/** The input of an operation: its parameters, its caller and the tools to execute it. */
import type { GraphQLError, OperationTypeNode } from 'graphql'
import type { Db } from '../../db/schema.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { TemplateRule } from '../../db/templates/rule.ts'
import type { ServiceSettings } from '../../options/index.ts'
import type { Report } from '../error-results.ts'
import type { WorkerThreads } from '../threads/pool.ts'

/** The parameters of a request: GraphQL over HTTP, "Request Parameters". */
export interface GraphqlRequestParameters {
  /** The text of its document, or why it has none. */
  query: string | GraphQLError
  variables?: Record<string, unknown> | null | undefined
  operationName?: string | null | undefined
}

/** The sender of a request, from its access token. */
export interface Caller {
  /** `sub`. */
  subject: string
  clientId: string
  scopes: readonly string[]
  /** Whether they may publish and delete templates. */
  mayPublish: boolean
  /** Role of a user of this service; null for any other caller. */
  role: string | null
  /** The templates that they may see and write; undefined: all. */
  rule: TemplateRule | undefined
  /** Name of a caller whom only another issuer or the host knows; null if unknown. */
  name: string | null
  /** The network address of the request; null if there is none. */
  address: string | null
  /** The header Idempotency-Key; null if absent. */
  idempotencyKey: string | null
  /** The header Last-Event-ID of a client that connects again; null if absent. */
  lastEventId: string | null
}

/** The start of a subscription: a position in the feed, and a rule besides the rule of the caller. */
export interface SubscriptionStart {
  position: number
  where: TemplateRule | undefined
}

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
  /** `Version.templates`, read since the request arrived. A replica must have it. */
  templatesVersion: string
  /** Maximum milliseconds of the operation; as in the settings if absent. */
  milliseconds?: number
  /** Waits until the operation may start. Rejects with the reason of the signal if it aborts. */
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
