/** Bounds and coerces the variables of an operation, with errors that quote no values. */
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
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type TypeNode,
  typeFromAST,
  type VariableDefinitionNode
} from 'graphql'
import type { ServiceSettings } from '../../options/index.ts'
import { badInput } from '../errors.ts'
import type { Values } from './demands.ts'

type Path = readonly (string | number)[]

/** Maximum number of values in the variables, and in the arguments made of them. To coerce them needs no pause. */
const maxValues = 10_000
/** Maximum number of values in the lists of a mutation, by the type of their items. */
const maxListed: Record<string, number> = {
  // Ids of templates.
  Int: 50_000,
  RestoreProductInput: 50_000,
  ImportProductInput: 200_000
}
/** Maximum number of templates in a list to import. */
export const maxImported = 1000
/** Maximum levels of objects and lists in a value: coercing them is recursive. A filter has far fewer. */
const maxLevels = 100

/** A value, and the name of its type without lists; undefined for a variable that the operation does not have. */
export type TypedValue = [type: string | undefined, value: unknown]

/** The limits on the size of values. */
interface SizeLimits {
  operation: OperationTypeNode
  /** Characters of all texts in a value. */
  maxCharacters: number
}

/**
 * Throws BAD_USER_INPUT if values have too many levels, too many values within them, or too long a text. Arguments are
 * checked like variables, because a document may name a variable many times.
 */
export function checkSize(
  what: 'variables' | 'arguments',
  values: Iterable<TypedValue>,
  { operation, maxCharacters }: SizeLimits
): void {
  const lists = operation === OperationTypeNode.MUTATION ? maxListed : {}
  const counts: Record<string, number> = {}
  for (const [type = '', value] of values) {
    if (type === 'ImportProductInput' && Array.isArray(value) && value.length > maxImported)
      throw badInput(`the ${what} have more than ${maxImported} templates`)
    const kind = Object.hasOwn(lists, type) ? type : ''
    const max = lists[kind] ?? maxValues
    let count = (counts[kind] ?? 0) + 1
    let characters = 0
    let level: unknown[] = [value]
    for (let levels = 1; level.length > 0; levels++) {
      if (levels > maxLevels) throw badInput(`the ${what} have more than ${maxLevels} levels`)
      const nextLevel: unknown[] = []
      for (const each of level) {
        if (typeof each === 'string') characters += each.length
        if (typeof each !== 'object' || each === null) continue
        // Counts keys, because listing the values of a large object takes much longer.
        count += Array.isArray(each) ? each.length : Object.keys(each).length
        if (count > max) throw badInput(`the ${what} have more than ${max} values`)
        for (const inner of Object.values(each)) nextLevel.push(inner)
      }
      level = nextLevel
    }
    if (count > max) throw badInput(`the ${what} have more than ${max} values`)
    if (characters > maxCharacters) throw badInput(`the ${what} have more than ${maxCharacters} characters`)
    counts[kind] = count
  }
}

/** Generates the variables of a request with their types in the operation. */
export function* typeVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Values
): Generator<TypedValue> {
  const types = new Map(variableDefinitions.map(({ variable, type }) => [variable.name.value, nameOf(type)]))
  for (const name of Object.keys(variables)) yield [types.get(name), variables[name]]
}

const nameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)

/** Errors that are reported for one request. */
const maxErrors = 50

/** Coerces the variables of an operation. Throws an AggregateError of GraphQLErrors without values. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Values,
  { graphqlIntrospection: suggests }: Pick<ServiceSettings, 'graphqlIntrospection'>
): Values {
  const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 })
  if (coerced) return coerced
  // The errors of graphql-js quote values of any length, so the errors are made again without them.
  const errors: GraphQLError[] = []
  try {
    for (const definition of variableDefinitions)
      checkVariable(schema, definition, variables, { errors, suggests })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    errors.push(error)
  }
  throw new AggregateError(errors)
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
    const { errors: found = [] } = getVariableValues(schema, [definition], variables)
    errors.push(...found.map(({ message, nodes }) => badInput(message, nodes)))
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
  let found = type
  for (const key of path) {
    found = getNullableType(found)
    while (isListType(found) && typeof key === 'string') found = getNullableType(found.ofType)
    if (isListType(found)) found = found.ofType
    else if (isInputObjectType(found)) found = found.getFields()[key]?.type ?? found
  }
  return found
}
