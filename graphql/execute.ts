import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode
} from 'graphql'
import type { MercuriusPlugin } from 'mercurius'
import type { Db } from '../db/schema.ts'
import type { ValidationOptions } from '../db/templates/validation/validate.ts'
import { requestCost } from './cost.ts'
import { createDocuments, type Documents } from './execution/documents.ts'
import { FilterPlans } from './execution/filter-plans.ts'
import type { Operation } from './execution/operation.ts'
import {
  findRefusalErrors,
  type ReportInternal,
  type Result,
  toExecutedResult,
  toRefusedResult
} from './execution/result.ts'
import { checkVariablesSize, coerceVariables } from './input/variables.ts'

/** A request of GraphQL over HTTP. */
export interface GraphqlRequest {
  query: string
  variables?: Record<string, unknown> | null
  operationName?: string | null
}

/** Who sent a request, from its access token. */
export interface Caller {
  /** `sub`. */
  subject: string
  clientId: string
  scopes: ReadonlySet<string>
  /** The header Idempotency-Key; null if absent. */
  idempotencyKey: string | null
}

/** Callbacks of the route. */
interface Hooks {
  /** Resolves when the operation may start; rejects if it is refused. */
  start(): Promise<void>
  /** Called when the type and the name of the operation are known. Throws the error to refuse the request with. */
  checkType(type: OperationTypeNode, name: string | undefined): void
  report: ReportInternal
}

/** The context of the resolvers. */
export interface Context {
  db: Db
  store: Db
  operation: Operation
  documents: Documents
  plans: FilterPlans
  caller: Caller
  settings: ValidationOptions & { importMaxTemplates: number }
}

/** The context of a request, from before its document is parsed. */
export interface ExecutionContext extends Context {
  request: GraphqlRequest
  checkType: Hooks['checkType']
  /** Whether execution has begun. */
  isAdmitted: boolean
  isMutation?: boolean
}

/** Executes a request. `operation.written` has the parts of the result that are already written as JSON. */
export async function executeRequest(
  graphql: MercuriusPlugin,
  given: Pick<ExecutionContext, 'operation' | 'request' | 'caller' | 'settings'>,
  { start, checkType, report }: Hooks
): Promise<Result> {
  const { operation, request } = given
  const { db, store } = operation
  const made = { documents: createDocuments(operation), plans: new FilterPlans(operation) }
  const context: ExecutionContext = { ...given, db, store, ...made, checkType, isAdmitted: false }
  try {
    await start()
    // Mercurius gets no variables, because its errors would quote them. `admitOperation` returns the checked variables.
    const executing = graphql(request.query, context, undefined, request.operationName ?? undefined)
    return toExecutedResult(await operation.race(executing), report, context.isMutation)
  } catch (error) {
    // The response contains the error.
    if (context.isAdmitted && error === operation.signal.reason) return { data: null }
    const errors = findRefusalErrors(error)
    if (!errors) throw error
    return toRefusedResult(errors)
  }
}

/**
 * Admits a valid document: the schema supports its operation, the caller may run it, and it is cheap enough. Returns the
 * coerced variables.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  context: ExecutionContext
) {
  const { request, checkType } = context
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  checkType(type, definition.name?.value)
  if (!schema.getRootType(type)) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  if (type === OperationTypeNode.QUERY) checkVariablesSize(given)
  const variables = coerceVariables(schema, definition, given)
  await requestCost(schema, document, definition, variables, context.operation)
  context.isAdmitted = true
  context.isMutation = type === OperationTypeNode.MUTATION
  return { variables }
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequest): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}
