/** Begins an operation: what it asks for, and whether it may. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode
} from 'graphql'
import { type FilterInput, filterNeedsIndex } from '../db/templates/filter/filter.ts'
import { estimateRows } from '../db/templates/meter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { openSnapshot } from '../db/templates/snapshot.ts'
import type { Demanding, FieldDemands, SelectedField, Values } from './demands.ts'
import { makeError } from './errors.ts'
import type { Execution } from './execution/execution.ts'
import type { GraphqlRequest } from './execution/operation.ts'
import { costOfItem, selectedSubfields } from './selection.ts'
import { checkVariablesSize, coerceVariables } from './variables.ts'

/**
 * Begins the execution of a valid document: admits its operation, and opens a snapshot if a field lists templates. Resolves
 * with the variables. Rejects with what {@link admit} throws, with why the execution has ended, or with IndexNotReady.
 */
export async function begin(
  schema: GraphQLSchema,
  document: DocumentNode,
  execution: Execution
): Promise<Values> {
  const { type, variables, fields } = await admit(schema, document, execution)
  // Nobody waits for it any more.
  execution.signal.throwIfAborted()
  execution.type = type
  if (fields.some(({ demands }) => demands.listsTemplates)) await openFor(fields, execution)
  return variables
}

/**
 * Admits an operation: the schema supports it, the caller may run it, its variables are right, and it is cheap enough. Throws
 * a GraphQLError, or what `checkType` throws.
 */
async function admit(schema: GraphQLSchema, document: DocumentNode, { operation, primary }: Execution) {
  const { request, checkType } = operation.input
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  checkType(type, definition.name?.value)
  if (!schema.getRootType(type)) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  checkVariablesSize(given, type)
  const variables = coerceVariables(schema, definition, given)
  // If the store fails, the fields also fail and report the error.
  const templates =
    type === OperationTypeNode.QUERY ? await estimateRows(primary, 'product_template').catch(() => 0) : 0
  const fields = findFields(schema, document, definition, variables).map(found => ({ ...found, templates }))
  operation.requestCost(
    fields.reduce((sum, field) => sum + requestedCost(field), 1),
    Math.max(...fields.map(field => field.demands.allowed?.(field) ?? 0), 0)
  )
  return { type, variables, fields }
}

/** Opens the snapshot of an execution. */
async function openFor(fields: SelectedField[], execution: Execution): Promise<void> {
  const { operation, signal, store, rule } = execution
  const { opening, input, place } = operation
  if (opening.onThread) await place?.enterLong(signal)
  // A snapshot is read-only.
  for (const { demands } of fields) await demands.prepare?.(store)
  signal.throwIfAborted()
  const needed = rule?.needsIndex === true || fields.some(needsIndex)
  const snapshot = await openSnapshot(input.db, { ...opening, signal, needsIndex: needed })
  execution.snapshot = snapshot
  if (!signal.aborted) return
  // Nobody else would end it.
  await snapshot.end()
  throw signal.reason
}

const needsIndex = ({ demands, given }: SelectedField): boolean =>
  demands.needsIndex === true ||
  filterNeedsIndex(given.where as FilterInput | null) ||
  (given.orderBy != null && orderNeedsIndex(given.orderBy as TemplateOrder))

function requestedCost(field: SelectedField): number {
  const { fixed = 0, items, work } = field.demands
  return fixed + (items?.(field) ?? 0) * field.costOfItem + (work?.(field) ?? 0)
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequest): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return makeError(message, 'OPERATION_RESOLUTION_FAILURE')
}

/** Finds the selected fields of a query or a subscription, with their demands. */
function findFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variableValues: Values
) {
  const type = schema.getRootType(definition.operation)
  if (!type || definition.operation === OperationTypeNode.MUTATION) return []
  const context = { schema, fragments: fragmentsOf(document), variableValues }
  return [...selectedSubfields(context, type, [definition]).values()].flatMap(nodes => {
    const [node] = nodes as [FieldNode]
    if (node.name.value.startsWith('__')) return []
    const field = type.getFields()[node.name.value] as GraphQLField<unknown, unknown>
    const given = readArguments(field, node, variableValues)
    if (!given) return []
    // Computed for each field, because it refuses a directive with an invalid variable before anything runs.
    const selection = { ...context, returnType: field.type, fieldNodes: nodes }
    return [{ demands: demandsOf(field), given, costOfItem: costOfItem(selection) }]
  })
}

function demandsOf({ name, resolve }: GraphQLField<unknown, unknown>): FieldDemands {
  const { demands } = Object(resolve) as Partial<Demanding>
  if (!demands) throw new TypeError(`the resolver of ${name} must say what it demands`)
  return demands
}

/** Returns undefined for invalid arguments: the execution will fail with the same error, and report its location. */
function readArguments(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variableValues: Values
): Values | undefined {
  try {
    return getArgumentValues(field, node, variableValues)
  } catch (error) {
    if (error instanceof GraphQLError) return undefined
    throw error
  }
}

const fragmentsOf = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
