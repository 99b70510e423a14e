import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode
} from 'graphql'
import { estimateTemplates } from '../db/templates/read/page.ts'
import { openSnapshot, type TemplateSnapshot } from '../db/templates/read/snapshot.ts'
import { measureOperation, type Requested } from './cost.ts'
import type { ExecutionContext, GraphqlRequest } from './execute.ts'
import { createReading } from './execution/reading.ts'
import { checkVariablesSize, coerceVariables } from './input/variables.ts'

/**
 * Admits a valid document: the schema supports its operation, the caller may run it, and it is cheap enough. Sets what the
 * resolvers read with: if the operation lists templates, one snapshot for all its fields. Returns the coerced variables.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  context: ExecutionContext
) {
  const { request, hooks, operation } = context
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  hooks.checkType(type, definition.name?.value)
  if (!schema.getRootType(type)) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  if (type !== OperationTypeNode.MUTATION) checkVariablesSize(given)
  const variables = coerceVariables(schema, definition, given)
  // If the store fails, the fields also fail and report the error.
  const isQuery = type === OperationTypeNode.QUERY
  const templates = isQuery ? await estimateTemplates(operation.db).catch(() => 0) : 0
  const asked = measureOperation(schema, document, definition, variables, templates)
  operation.requestCost(asked.cost, asked.allowed)
  context.admitted = type
  const snapshot = asked.listsTemplates ? await open(context, asked, templates) : undefined
  context.reading = createReading(operation, context.caller.rule, snapshot)
  return { variables }
}

/** Opens the snapshot of an operation that lists templates. */
async function open(
  context: ExecutionContext,
  { needsIndex, prepare }: Requested,
  templates: number
): Promise<TemplateSnapshot> {
  const { operation, hooks, mode, caller } = context
  const { db, store, signal, version } = operation
  const { usesReplica, isLong } = mode
  if (isLong) await hooks.startLong()
  // A snapshot is read-only.
  for (const write of prepare) await write(store)
  // An operation that has ended would never end its snapshot.
  signal.throwIfAborted()
  const options = {
    templates,
    version: usesReplica ? version : undefined,
    signal,
    isLong,
    needsIndex: needsIndex || caller.rule?.needsIndex === true
  }
  context.snapshot = openSnapshot(db, options)
  const snapshot = await context.snapshot
  operation.blocksLoop = snapshot.blocksLoop
  return snapshot
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequest): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}
