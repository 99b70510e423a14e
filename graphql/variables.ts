/** Coerces the variables of an operation, with errors that quote no values. */
import {
  coerceInputValue,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
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
import type { Values } from './demands.ts'
import { badInput } from './errors.ts'

type Path = readonly (string | number)[]

/** Maximum number of values in the variables of a query. Coercing them needs no pause. A filter has far fewer. */
const maxValues = 10_000
/** Maximum levels of objects and lists in variables: coercing them is recursive. A filter has far fewer. */
const maxLevels = 100

/** Throws BAD_USER_INPUT if the variables of an operation have too many levels, or those of a query too many values. */
export function checkVariablesSize(given: Values, type: OperationTypeNode): void {
  const isLimited = type !== OperationTypeNode.MUTATION
  let values = 0
  let level: unknown[] = [given]
  for (let levels = 0; level.length > 0; levels++) {
    if (levels > maxLevels) throw badInput(`the variables have more than ${maxLevels} levels`)
    const inner: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      // Counts keys, because listing the values of a large object takes much longer.
      values += Array.isArray(value) ? value.length : Object.keys(value).length
      if (isLimited && values > maxValues)
        throw badInput(`the variables of a query have more than ${maxValues} values`)
      for (const each of Object.values(value)) inner.push(each)
    }
    level = inner
  }
}

/** Errors that are reported for one request. */
const maxErrors = 50

/** Coerces the variables of an operation. Throws an AggregateError of GraphQLErrors that name only places and types. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Values
): Values {
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
  given: Values,
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
