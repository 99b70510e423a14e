/** What a request asks for, and who asks. */
import type { GraphQLError } from 'graphql'
import type { TemplateRule } from '../db/templates/rule.ts'

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
export interface Links {
  /** The address of the service. */
  issuer(): string
  providers: { provider: { id: string; name: string; issuer: string } }[]
}
