import { GraphQLError, OperationTypeNode } from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import type { PasswordCost } from '../credentials/secrets.ts'
import type { KeySecrets } from '../credentials/signing-key.ts'
import type { SessionLifetime } from '../db/accounts/logins/sessions.ts'
import type { Db } from '../db/schema.ts'
import type { TemplateSnapshot } from '../db/templates/read/snapshot.ts'
import type { Change } from '../db/templates/revisions/changes.ts'
import type { TemplateRule } from '../db/templates/rules/rule.ts'
import type { ValidationOptions } from '../db/templates/validation/validate.ts'
import type { Operation } from './execution/operation.ts'
import type { Reading } from './execution/reading.ts'
import {
  findRefusalErrors,
  type ReportInternal,
  type Result,
  toExecutedResult,
  toRefusedResult
} from './execution/result.ts'

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

/** A subscription: executed once without a change, when its field begins it, and then for each change. */
export interface Subscription {
  change?: Change | undefined
  /** What the field asks for: changes after a position, with a rule besides that of the caller. */
  begun?: { position: number; where: TemplateRule | undefined }
}

/** Callbacks of the route. */
export interface Hooks {
  /** Resolves when the operation may start; rejects if it is refused. Called for each execution. */
  start(): Promise<void>
  /** Resolves when a long operation may read. */
  startLong(): Promise<void>
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  /** Ends the operation and returns one that is executed in its place. */
  startAgain(): Operation
  report: ReportInternal
}

/** Where people log in. */
export interface Links {
  /** The address of the service. */
  issuer(): string
  providers: { provider: { id: string; name: string; issuer: string } }[]
}

/** The context of the resolvers. */
export interface Context {
  reading: Reading
  /** For writing: what has begun is completed. */
  store: Db
  operation: Operation
  caller: Caller
  subscription: Subscription
  settings: ValidationOptions &
    PasswordCost &
    SessionLifetime &
    KeySecrets & { importMaxTemplates: number; passwordLogin: boolean; accountLimit: number }
  links: Links
}

/** The context of a request, from before its document is parsed. */
export interface ExecutionContext extends Omit<Context, 'reading'> {
  /** Undefined before the operation is admitted. */
  reading?: Reading
  request: GraphqlRequest
  hooks: Hooks
  /** How it reads, if it lists templates. */
  mode: ReadMode
  /** The type of the operation; undefined before it is admitted. */
  admitted?: OperationTypeNode
  /** What an operation that lists templates reads; undefined for others. It may open after the operation has ended. */
  snapshot?: Promise<TemplateSnapshot>
}

type Given = Pick<
  ExecutionContext,
  'operation' | 'request' | 'caller' | 'settings' | 'links' | 'subscription'
>

/**
 * Executes a request; again, if it reads for too long for the event loop, or a replica fails. `operation.written` has the
 * parts of the result that are already written as JSON.
 */
export async function executeRequest(graphql: MercuriusPlugin, given: Given, hooks: Hooks): Promise<Result> {
  let mode: ReadMode = { usesReplica: true, isLong: false }
  for (let { operation } = given; ; operation = hooks.startAgain()) {
    try {
      return await execute(graphql, { ...given, operation, mode }, hooks)
    } catch (error) {
      if (!(error instanceof ExecuteAgain)) throw error
      mode = error.mode
    }
  }
}

async function execute(
  graphql: MercuriusPlugin,
  given: Given & Pick<ExecutionContext, 'mode'>,
  hooks: Hooks
): Promise<Result> {
  const { operation, request } = given
  const { store } = operation
  const context: ExecutionContext = { ...given, store, hooks }
  try {
    await hooks.start()
    if (request.query instanceof GraphQLError) throw request.query
    // Mercurius calls `admitOperation` (admission.ts) before it executes. It gets no variables, because its errors would
    // quote them: `admitOperation` returns those that it has checked.
    const executing = graphql(request.query, context, undefined, request.operationName ?? undefined)
    const result = await operation.race(executing)
    const replica = (await context.snapshot)?.replica
    if (replica && result.errors?.some(({ originalError }) => replica.noteFailure(originalError)))
      throw new ExecuteAgain({ usesReplica: false, isLong: false })
    if (given.subscription.begun) return {}
    return toExecutedResult(result, hooks.report, context.admitted === OperationTypeNode.MUTATION)
  } catch (error) {
    if (error instanceof ExecuteAgain) throw error
    // The response contains the error.
    if (context.admitted && error === operation.signal.reason) return { data: null }
    const errors = findRefusalErrors(error)
    if (!errors) throw error
    return toRefusedResult(errors)
  } finally {
    void context.snapshot?.then(
      snapshot => snapshot.end(),
      () => {}
    )
  }
}

/** How an operation that lists templates reads them. */
interface ReadMode {
  usesReplica: boolean
  /** Whether its statements may take long, and must not block the event loop. */
  isLong: boolean
}

/**
 * The operation has to be executed again, because it reads for too long, or because a replica failed. It rejects what the
 * resolvers wait for, and `executeRequest` catches it.
 */
export class ExecuteAgain extends Error {
  readonly mode: ReadMode

  constructor(mode: ReadMode) {
    super('the operation is executed again')
    this.mode = mode
  }
}
