/** Decides whether an operation may run, and where. */
import { setImmediate } from 'node:timers/promises'
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode
} from 'graphql'
import { type FilterInput, filterNeedsIndex } from '../../db/templates/filter/filter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../../db/templates/read/order.ts'
import { replicaOf } from '../../db/templates/snapshot.ts'
import { hideStatistics, readStoreStatistics, type StoreStatistics } from '../../db/templates/statistics.ts'
import { makeError } from '../errors.ts'
import type { GraphqlRequestParameters, Operation } from '../operation/operation.ts'
import { collectSelectedFields, type SelectionContext } from '../selection.ts'
import { checkConditions } from './conditions.ts'
import { costOfField } from './cost.ts'
import { type FieldDemands, findDemands, type SelectedField } from './demands.ts'
import { checkScopes } from './scopes.ts'
import { maxInterleavedCost, maxMainThreadCost } from './unit-costs.ts'
import {
  checkSize,
  coerceArguments,
  coerceVariables,
  listTypedVariables,
  maxValues,
  type TypedValue
} from './values.ts'

/**
 * Admits an operation of a valid document: checks the operation, moves a large one to a worker thread, and opens a
 * snapshot unless a single statement reads everything. Returns the definition and the variables of the operation.
 * - Rejects with the error of {@link checkOperation} if a check fails, or with that of the database.
 * - Rejects with the reason of its end if the operation has ended.
 * - Rejects with NotReady if the operation needs the index, and the index is incomplete.
 * - Rejects with `needsWorkerThread` if the operation is too large for this thread.
 */
export async function admit(schema: GraphQLSchema, document: DocumentNode, operation: Operation) {
  const { type, definition, variables, fields } = await checkOperation(schema, document, operation)
  operation.assertRunning()
  operation.isAdmitted = true
  const mayMove = type === OperationTypeNode.QUERY || fields.every(field => requireDemands(field).isBulkWrite)
  if (mayMove && operation.cost.requested > maxMainThreadCost) operation.moveToWorkerThread()
  // Start large operations in separate turns. Together, their rows would fill memory and slow down garbage collection.
  if (operation.cost.requested > maxInterleavedCost) await setImmediate()
  if (type === OperationTypeNode.QUERY) await openSnapshotIfNeeded(fields, operation)
  return { definition, variables }
}

/**
 * Checks that the schema supports an operation, that the caller may run it, that its variables and arguments are right
 * and not too many, and that its cost is allowed. Throws a GraphQLError, an AggregateError of them, or the error of
 * `onType`.
 */
async function checkOperation(schema: GraphQLSchema, document: DocumentNode, operation: Operation) {
  const { parameters, onType, caller, settings } = operation.input
  const definition = getOperationAST(document, parameters.operationName)
  if (!definition) throw unresolvedOperation(parameters)
  const type = definition.operation
  operation.type = type
  onType?.(type, definition.name?.value)
  const rootType = schema.getRootType(type)
  if (!rootType) throw new GraphQLError(`the service has no ${type}s`)
  const sentVariables = parameters.variables ?? {}
  const fragments = indexFragments(document)
  checkScopes(rootType, fragments, definition, sentVariables, caller.scopes)
  const limits = { operation: type, maxCharacters: settings.graphqlMaxBodySize }
  const values = checkSize('variables', listTypedVariables(definition, sentVariables), limits)
  // Only a mutation may have so many, such as an import. To coerce them would block the event loop.
  if (values > maxValues) operation.moveToWorkerThread()
  const variables = coerceVariables(schema, definition, sentVariables, settings)
  const context = { schema, fragments, variableValues: variables }
  const argumentsOf = coerceArguments(context, definition)
  const rootFields = findRootFields(context, argumentsOf, rootType, definition)
  for (const field of rootFields) checkSize('arguments', listTypedArguments(field), limits)
  if (type === OperationTypeNode.MUTATION) for (const field of rootFields) checkConditions(field, variables)
  const { rule } = caller
  const statistics = rootFields.length > 0 ? await readVisibleStatistics(operation) : noStatistics
  const fields = rootFields.map(field => ({ ...field, ...context, argumentsOf, statistics, rule }))
  requestCost(fields, operation)
  return { type, definition, variables, fields }
}

/**
 * Reads the statistics of the store. A cost must not reveal what a rule hides. Rejects with any error of the database,
 * because an operation whose cost is unknown must not run.
 */
async function readVisibleStatistics({ input: { db }, rule }: Operation): Promise<StoreStatistics> {
  const statistics = await readStoreStatistics(db)
  return rule ? hideStatistics(statistics) : statistics
}

/** The statistics for introspection, which needs no database. */
const noStatistics: StoreStatistics = { templates: 0, revisions: 0, entries: 0, documentBytes: 0 }

/** Sets the requested cost. Throws COST_LIMIT if the cost exceeds the limit. */
function requestCost(fields: SelectedField[], { cost }: Operation): void {
  cost.requested = fields.reduce((sum, field) => sum + costOfField(field, requireDemands(field)), 1)
  cost.limit = fields.reduce(
    (limit, field) => Math.max(limit, requireDemands(field).minimumLimit?.(field) ?? 0),
    cost.limit
  )
  if (cost.requested <= cost.limit) return
  const exceeded = { cost: Math.ceil(cost.requested), limit: cost.limit }
  throw makeError(`the operation costs ${exceeded.cost}; the limit is ${cost.limit}`, 'COST_LIMIT', exceeded)
}

/** Opens the snapshot of an operation, unless a single statement reads everything. */
async function openSnapshotIfNeeded(fields: SelectedField[], operation: Operation): Promise<void> {
  // This comes before the snapshot, because a snapshot is read-only.
  for (const field of fields) await requireDemands(field).writeBeforeSnapshot?.(operation.writeDb)
  operation.assertRunning()
  const [first, ...others] = fields
  if (!first) return
  const isOneStatement = others.length === 0 && requireDemands(first).readsByOneStatement?.(first)
  // A replica may serve lists, and only a snapshot tells whether it has the version.
  const mayUseReplica = requireDemands(first).items && replicaOf(operation.input.db)
  if (isOneStatement && !mayUseReplica) return
  await operation.reader.openSnapshot({
    needsIndex: operation.rule?.needsIndex === true || fields.some(needsIndex),
    // The data of `writeBeforeSnapshot` does not change the version, so a replica with the version may lack it.
    needsPrimary: fields.some(field => requireDemands(field).writeBeforeSnapshot)
  })
}

function needsIndex(field: SelectedField): boolean {
  const { where, orderBy } = field.args
  return (
    requireDemands(field).needsIndex === true ||
    filterNeedsIndex((where ?? {}) as FilterInput) ||
    (orderBy != null && orderNeedsIndex(orderBy as TemplateOrder))
  )
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequestParameters): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return makeError(message, 'OPERATION_RESOLUTION_FAILURE')
}

/** A root field, before the statistics are read. */
type RootField = Pick<SelectedField, 'args' | 'definition' | 'fieldNodes'>

/** Finds the root fields that run, without those of introspection. */
const findRootFields = (
  context: SelectionContext,
  argumentsOf: SelectedField['argumentsOf'],
  type: GraphQLObjectType,
  definition: OperationDefinitionNode
): RootField[] =>
  [...collectSelectedFields(context, type, [definition]).values()].flatMap(fieldNodes => {
    const [node] = fieldNodes as [FieldNode]
    const field = type.getFields()[node.name.value]
    return field ? [{ definition: field, fieldNodes, args: argumentsOf.get(node) ?? {} }] : []
  })

const listTypedArguments = ({ definition, args }: RootField): TypedValue[] =>
  definition.args.map(({ name, type }) => [getNamedType(type).name, args[name]])

function requireDemands({ definition }: SelectedField): FieldDemands {
  const demands = findDemands(definition)
  if (!demands) throw new TypeError(`the resolver of ${definition.name} must say what it demands`)
  return demands
}

const indexFragments = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
