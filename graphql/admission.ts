/** Begins an operation: what it asks for, and whether it may. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode
} from 'graphql'
import { type FilterInput, filterNeedsIndex, toFilter } from '../db/templates/filter/filter.ts'
import { estimateRows } from '../db/templates/meter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { openSnapshot } from '../db/templates/snapshot.ts'
import { ArgumentError } from '../host-errors.ts'
import { checkArguments, coerceArguments, type OperationContext } from './arguments.ts'
import { checkConditions } from './conditions.ts'
import type { Demanding, FieldDemands, SelectedField, Values } from './demands.ts'
import { makeError } from './errors.ts'
import type { Execution } from './execution/execution.ts'
import type { GraphqlRequest } from './execution/operation.ts'
import { checkScopes } from './scopes.ts'
import { costOfItem, selectedSubfields } from './selection.ts'
import { checkSize, coerceVariables, type TypedValue, typeVariables } from './variables.ts'

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
 * Admits an operation: the schema supports it, the caller may run it, its variables and arguments are right and not too many,
 * and it is cheap enough. Throws a GraphQLError, an AggregateError of such, or what `checkType` throws.
 */
async function admit(schema: GraphQLSchema, document: DocumentNode, { operation, primary }: Execution) {
  const { request, checkType, caller, settings } = operation.input
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  checkType(type, definition.name?.value)
  const rootType = schema.getRootType(type)
  if (!rootType) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  const fragments = fragmentsOf(document)
  checkScopes(rootType, fragments, definition, given, caller.scopes)
  const limits = { operation: type, maxCharacters: settings.graphqlMaxBodySize }
  checkSize('variables', typeVariables(definition, given), limits)
  const variables = coerceVariables(schema, definition, given, settings)
  const context = { schema, fragments, variableValues: variables }
  checkArguments(context, definition)
  const fields = findFields(context, rootType, definition)
  for (const field of fields) checkSize('arguments', typeArguments(field), limits)
  if (type === OperationTypeNode.MUTATION) {
    for (const { field, nodes, given } of fields) checkConditions(field, nodes[0], given, variables)
    return { type, variables, fields: [] }
  }
  // If the store fails, the fields also fail and report the error.
  const templates =
    type === OperationTypeNode.QUERY ? await estimateRows(primary, 'product_template').catch(() => 0) : 0
  const selected = fields.map(found => toSelected(found, context, templates))
  operation.requestCost(
    selected.reduce((sum, field) => sum + requestedCost(field), 1),
    Math.max(...selected.map(field => field.demands.allowed?.(field) ?? 0), 0)
  )
  return { type, variables, fields: selected }
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
  whereNeedsIndex(given.where as FilterInput | null) ||
  (given.orderBy != null && orderNeedsIndex(given.orderBy as TemplateOrder))

function whereNeedsIndex(where: FilterInput | null | undefined): boolean {
  try {
    return filterNeedsIndex(toFilter(where))
  } catch (error) {
    // The field refuses a wrong filter when it runs, and one that is too large.
    if (error instanceof ArgumentError) return false
    throw error
  }
}

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

/** A root field that runs: its nodes, and its coerced arguments. */
interface RootField {
  field: GraphQLField<unknown, unknown>
  nodes: readonly [FieldNode, ...FieldNode[]]
  given: Values
}

/** Finds the root fields that run, without those of introspection. */
const findFields = (
  context: OperationContext,
  type: GraphQLObjectType,
  definition: OperationDefinitionNode
): RootField[] =>
  [...selectedSubfields(context, type, [definition]).values()].flatMap(found => {
    const nodes = found as RootField['nodes']
    const field = type.getFields()[nodes[0].name.value]
    return field ? [{ field, nodes, given: coerceArguments(field, nodes[0], context.variableValues) }] : []
  })

const typeArguments = ({ field, given }: RootField): TypedValue[] =>
  field.args.map(({ name, type }) => [getNamedType(type).name, given[name]])

const toSelected = (
  { field, nodes, given }: RootField,
  context: OperationContext,
  templates: number
): SelectedField => {
  const selection = { ...context, returnType: field.type, fieldNodes: nodes }
  return { demands: demandsOf(field), given, costOfItem: costOfItem(selection), templates }
}

function demandsOf({ name, resolve }: GraphQLField<unknown, unknown>): FieldDemands {
  const { demands } = Object(resolve) as Partial<Demanding>
  if (!demands) throw new TypeError(`the resolver of ${name} must say what it demands`)
  return demands
}

const fragmentsOf = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
