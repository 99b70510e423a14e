import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  OperationTypeNode
} from 'graphql'
import { estimateTemplates } from '../db/templates/read/page.ts'
import { openSnapshot } from '../db/templates/read/snapshot.ts'
import { measureQuery } from './cost.ts'
import { createReaders, type ExecutionContext, type GraphqlRequest } from './execute.ts'
import { checkVariablesSize, coerceVariables } from './input/variables.ts'

/**
 * Admits a valid document: the schema supports its operation, the caller may run it, and it is cheap enough. Returns the
 * coerced variables.
 */
export async function admitOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  context: ExecutionContext
) {
  const { request, hooks } = context
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  hooks.checkType(type, definition.name?.value)
  if (!schema.getRootType(type)) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  const isQuery = type === OperationTypeNode.QUERY
  if (isQuery) checkVariablesSize(given)
  const variables = coerceVariables(schema, definition, given)
  if (isQuery) await admitQuery(schema, document, definition, variables, context)
  else context.operation.requestCost(1)
  context.isAdmitted = true
  context.isMutation = !isQuery
  return { variables }
}

/** Checks the cost of a query. If it lists templates, opens the snapshot in which all its fields read. */
async function admitQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Record<string, unknown>,
  context: ExecutionContext
): Promise<void> {
  const { operation, hooks, mode } = context
  const { db, store, signal, version } = operation
  // If the store fails, the fields also fail and report the error.
  const templates = await estimateTemplates(db).catch(() => 0)
  const asked = measureQuery(schema, document, definition, variables, templates)
  // A complete list of all templates is always allowed.
  operation.requestCost(asked.cost, asked.listsAll ? 2 * templates : 0)
  context.isAdmitted = true
  if (!asked.listsTemplates) return
  const { usesReplica, isLong } = mode
  if (isLong) await hooks.startLong()
  // A snapshot is read-only.
  for (const write of asked.prepare) await write(store)
  // An operation that has ended would never end its snapshot.
  signal.throwIfAborted()
  const { needsIndex } = asked
  const options = { templates, version: usesReplica ? version : undefined, signal, isLong, needsIndex }
  context.snapshot = openSnapshot(db, options)
  const snapshot = await context.snapshot
  operation.setBlocksLoop(snapshot.blocksLoop)
  Object.assign(context, createReaders(operation, snapshot.db, snapshot))
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequest): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}
