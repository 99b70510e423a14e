/** Describes wrong variables again: the errors of graphql-js quote values of any length. */
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
  typeFromAST,
  type VariableDefinitionNode
} from 'graphql'
import { badInput } from '../errors.ts'
import type { Values } from './demands.ts'

type Path = readonly (string | number)[]

/** Errors that are reported for one request. */
const maxErrors = 50

/** Returns the errors of wrong variables without their values. If it `suggests`, they have names of the schema. */
export function describeWrongVariables(
  schema: GraphQLSchema,
  definitions: readonly VariableDefinitionNode[],
  variables: Values,
  suggests: boolean
): GraphQLError[] {
  const errors: GraphQLError[] = []
  try {
    for (const definition of definitions) checkVariable(schema, definition, variables, { errors, suggests })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    errors.push(error)
  }
  return errors
}

function checkVariable(
  schema: GraphQLSchema,
  definition: VariableDefinitionNode,
  variables: Values,
  { errors, suggests }: { errors: GraphQLError[]; suggests: boolean }
): void {
  const name = definition.variable.name.value
  const type = typeFromAST(schema, definition.type)
  // If there is no value, the errors of graphql-js cannot quote one.
  if (!isInputType(type) || !Object.hasOwn(variables, name) || variables[name] === null) {
    const { errors: missing = [] } = getVariableValues(schema, [definition], variables)
    errors.push(...missing.map(({ message, nodes }) => badInput(message, nodes)))
    return
  }
  const report = (path: Path, value: unknown, { message }: GraphQLError) => {
    if (errors.length >= maxErrors)
      throw new GraphQLError('too many errors in the variables', { nodes: definition })
    const at = path.length > 0 ? ` at "${[name, ...path].join('.')}"` : ''
    const problem = value === null ? message : describeProblem(findType(type, path), message)
    errors.push(badInput(`Variable "$${name}" got invalid value${at}; ${problem}`, [definition]))
  }
  coerceInputValue(variables[name], type, report, !suggests)
}

/** Characters of an unknown field's name in an error. */
const maxNameLength = 64

/** The names of the schema that graphql-js suggests at the end of a message. */
const suggestion = / Did you mean (the enum value )?("\w+", )*("\w+",? or )?"\w+"\?$/

/** Returns the message of graphql-js, unless it quotes a value or a long name. */
function describeProblem(type: GraphQLInputType, message: string): string {
  const named = getNamedType(type)
  const [suggested = ''] = suggestion.exec(message) ?? []
  if (isLeafType(named)) return `Expected type "${named.name}".${suggested}`
  const problem = message.slice(0, message.length - suggested.length)
  const [, unknown] = /^Field "(.*)" is not defined by type "\w+"\.$/s.exec(problem) ?? []
  if (unknown === undefined || (unknown.length <= maxNameLength && /^\w+$/.test(unknown))) return message
  return `A field is not defined by type "${named.name}".`
}

/** Finds the type at a path. A single value that stands for a list has no index in its path. */
function findType(type: GraphQLInputType, path: Path): GraphQLInputType {
  let inner = type
  for (const key of path) {
    inner = getNullableType(inner)
    while (isListType(inner) && typeof key === 'string') inner = getNullableType(inner.ofType)
    if (isListType(inner)) inner = inner.ofType
    else if (isInputObjectType(inner)) inner = inner.getFields()[key]?.type ?? inner
  }
  return inner
}
