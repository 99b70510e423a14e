/** Bounds and coerces the variables and arguments of an operation, once before it runs. Its errors quote no values. */
import {
  type ASTNode,
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getVariableValues,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type TypeNode,
  visit
} from 'graphql'
import type { ServiceSettings } from '../../options/index.ts'
import { badInput } from '../errors.ts'
import { createFieldVisitor, isIncluded, type SelectionContext } from '../selection.ts'
import type { SelectedField, Values } from './demands.ts'
import { describeWrongVariables } from './variable-errors.ts'

/** Maximum number of values in the variables, and in the arguments made of them. To coerce them needs no pause. */
export const maxValues = 10_000
/** Maximum number of values in the lists of a mutation, by the type of their items. The resolvers allow fewer. */
const maxListed: Record<string, number> = {
  // Ids of templates.
  Int: 50_000,
  RestoreProductInput: 50_000,
  ImportProductInput: 100_000
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
 * Counts values with all values within them. Throws BAD_USER_INPUT if they have too many levels, too many values, or
 * too long a text. Arguments are checked like variables, because a document may name a variable many times.
 */
export function checkSize(
  what: 'variables' | 'arguments',
  values: Iterable<TypedValue>,
  { operation, maxCharacters }: SizeLimits
): number {
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
        const inner = typeof each === 'object' && each !== null ? Object.values(each) : []
        count += inner.length
        // This is checked for each value, because a list may have a variable many times.
        if (count > max) throw badInput(`the ${what} have more than ${max} values`)
        for (const one of inner) nextLevel.push(one)
      }
      level = nextLevel
    }
    if (characters > maxCharacters) throw badInput(`the ${what} have more than ${maxCharacters} characters`)
    counts[kind] = count
  }
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Generates the variables of a request with their types in the operation. */
export function* listTypedVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Values
): Generator<TypedValue> {
  const types = new Map(variableDefinitions.map(({ variable, type }) => [variable.name.value, nameOf(type)]))
  for (const name of Object.keys(variables)) yield [types.get(name), variables[name]]
}

const nameOf = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)

/** Coerces the variables of an operation. Throws an AggregateError of GraphQLErrors without values. */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Values,
  { graphqlIntrospection: suggests }: Pick<ServiceSettings, 'graphqlIntrospection'>
): Values {
  const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 })
  if (coerced) return coerced
  throw new AggregateError(describeWrongVariables(schema, variableDefinitions, variables, suggests))
}

/**
 * Coerces the arguments and directives of all fields that may run. graphql-js would coerce those of an inner field only
 * after the outer field, which may be a mutation, has run. Throws BAD_USER_INPUT.
 */
export function coerceArguments(
  { schema, fragments, variableValues }: SelectionContext,
  definition: OperationDefinitionNode
): SelectedField['argumentsOf'] {
  const coerced = new Map<FieldNode, Values>()
  const visitFields = createFieldVisitor(fragments, node =>
    withoutValues(variableValues, () => isIncluded(node, variableValues))
  )
  const visitBelow = (node: Pick<FieldNode, 'selectionSet'>, outer: GraphQLCompositeType): void =>
    visitFields(node, (inner, condition) => {
      const type = condition && (schema.getType(condition.name.value) as GraphQLCompositeType | undefined)
      const field = findField(type ?? outer, inner)
      if (!field) return
      if (field.args.length > 0)
        coerced.set(
          inner,
          withoutValues(variableValues, () => getArgumentValues(field, inner, variableValues))
        )
      const fieldType = getNamedType(field.type)
      if (isCompositeType(fieldType)) visitBelow(inner, fieldType)
    })
  visitBelow(definition, schema.getRootType(definition.operation) as GraphQLObjectType)
  return coerced
}

/** Finds the definition of a field; undefined for `__typename`, which has no arguments. */
function findField(
  type: GraphQLCompositeType,
  { name: { value } }: FieldNode
): GraphQLField<unknown, unknown> | undefined {
  if (value === '__schema') return SchemaMetaFieldDef
  if (value === '__type') return TypeMetaFieldDef
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[value] : undefined
}

/**
 * Replaces an error of graphql-js, which quotes a literal, by an error that names the variables in it without a value.
 */
function withoutValues<Result>(variableValues: Values, coerce: () => Result): Result {
  try {
    return coerce()
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { nodes = [] } = error
    const [, argument] = /^Argument "(\w+)" has invalid value /.exec(error.message) ?? []
    if (argument === undefined) throw badInput(error.message, nodes)
    const names = nodes.flatMap(listVariables).filter(name => variableValues[name] == null)
    const among = names.map(name => `$${name}`).join(', ')
    throw badInput(`Argument "${argument}" has null where it is not allowed: ${among}.`, nodes)
  }
}

/** Lists the names of the variables in a value. */
export function listVariables(node: ASTNode): string[] {
  const names = new Set<string>()
  visit(node, { Variable: ({ name }) => void names.add(name.value) })
  return [...names]
}
