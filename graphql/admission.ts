import {
  coerceInputValue,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  type OperationDefinitionNode,
  OperationTypeNode,
  typeFromAST,
  type VariableDefinitionNode
} from 'graphql'
import { estimateRows } from '../db/templates/meter.ts'
import { badInput, type GraphqlRequest } from './context.ts'
import { measureOperation, type Requested } from './demands.ts'
import type { Operation } from './execution/operation.ts'

/** An operation that may be executed. */
export interface Admitted extends Requested {
  type: OperationTypeNode
  variables: Variables
}

/**
 * Admits a valid document: the schema supports its operation, the caller may run it, its variables are right, and it is
 * cheap enough. Throws a GraphQLError, or what `checkType` throws.
 */
export async function admit(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: Operation
): Promise<Admitted> {
  const { request, checkType } = operation.input
  const definition = getOperationAST(document, request.operationName)
  if (!definition) throw unresolvedOperation(request)
  const type = definition.operation
  checkType(type, definition.name?.value)
  if (!schema.getRootType(type)) throw new GraphQLError(`the service has no ${type}s`)
  const given = request.variables ?? {}
  if (type !== OperationTypeNode.MUTATION) checkVariablesSize(given)
  const variables = coerceVariables(schema, definition, given)
  // If the store fails, the fields also fail and report the error.
  const templates =
    type === OperationTypeNode.QUERY ? await estimateRows(operation.db, 'product_template').catch(() => 0) : 0
  const requested = measureOperation(schema, document, definition, variables, templates)
  operation.requestCost(requested.cost, requested.allowed)
  return { type, variables, ...requested }
}

/** The message omits the name, which may be long. */
function unresolvedOperation({ operationName }: GraphqlRequest): GraphQLError {
  const message =
    typeof operationName === 'string'
      ? 'the document has no operation of this name'
      : 'operationName is required if the document has several operations'
  return new GraphQLError(message, { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })
}

type Variables = Record<string, unknown>
type Path = readonly (string | number)[]

/** Maximum number of values in the variables of a query. Coercing them needs no pause. A filter has far fewer. */
const maxValues = 10_000

/** Throws BAD_USER_INPUT if the variables of a query have too many values. */
function checkVariablesSize(given: Variables): void {
  const rest: unknown[] = [given]
  for (let values = 0; rest.length > 0; ) {
    const value = rest.pop()
    if (typeof value !== 'object' || value === null) continue
    // Counts keys, because listing the values of a large object takes much longer.
    values += Array.isArray(value) ? value.length : Object.keys(value).length
    if (values > maxValues) throw badInput(`the variables of a query have more than ${maxValues} values`)
    rest.push(...Object.values(value))
  }
}

/** Errors that are reported for one request. */
const maxErrors = 50

/** Coerces the variables of an operation. Throws an AggregateError of GraphQLErrors that name only places and types. */
function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables
): Variables {
  const { coerced } = getVariableValues(schema, variableDefinitions, given, { maxErrors: 1 })
  if (coerced) return coerced
  // The errors of graphql-js quote values of any length, so the errors are made again without them.
  const errors: GraphQLError[] = []
  try {
    for (const definition of variableDefinitions) checkVariable(schema, definition, given, errors)
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    errors.push(error)
  }
  throw new AggregateError(errors)
}

function checkVariable(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  given: Variables,
  errors: GraphQLError[]
): void {
  const name = definition.variable.name.value
  const type = typeFromAST(schema, definition.type)
  // Without a value, the errors of graphql-js cannot quote one.
  if (!isInputType(type) || !Object.hasOwn(given, name) || given[name] === null) {
    const { errors: found = [] } = getVariableValues(schema, [definition], given)
    errors.push(...found.map(({ message, nodes }) => badInput(message, nodes)))
    return
  }
  const report = (path: Path, value: unknown, { message }: GraphQLError) => {
    if (errors.length >= maxErrors)
      throw new GraphQLError('too many errors in the variables', { nodes: definition })
    const place = path.length > 0 ? ` at "${[name, ...path].join('.')}"` : ''
    const problem = value === null ? message : describeProblem(findType(type, path), message)
    errors.push(badInput(`Variable "$${name}" got invalid value${place}; ${problem}`, [definition]))
  }
  coerceInputValue(given[name], type, report, true)
}

/** Characters of an unknown field's name in an error. */
const maxNameLength = 64

/** Returns the message of graphql-js, unless it quotes a value or a long name. */
function describeProblem(type: GraphQLInputType, message: string): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return `Expected type "${named.name}".`
  const [, unknown] = /^Field "(.*)" is not defined by type "\w+"\.$/s.exec(message) ?? []
  if (unknown === undefined || (unknown.length <= maxNameLength && /^\w+$/.test(unknown))) return message
  return `A field is not defined by type "${named.name}".`
}

/** Finds the type at a path. A single value that stands for a list has no index in its path. */
function findType(type: GraphQLInputType, path: Path): GraphQLInputType {
  let found = type
  for (const key of path) {
    found = getNullableType(found)
    while (isListType(found) && typeof key === 'string') found = getNullableType(found.ofType)
    if (isListType(found)) found = found.ofType
    else if (isInputObjectType(found)) found = found.getFields()[key]?.type ?? found
  }
  return found
}
