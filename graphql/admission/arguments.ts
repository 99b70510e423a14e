/** Coerces the arguments of an operation once, before it runs, with errors that quote no values. */
import {
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  visit
} from 'graphql'
import { badInput } from '../errors.ts'
import { createFieldVisitor, isIncluded } from '../selection.ts'
import type { Values } from './demands.ts'

/** A document with the variables of the operation that runs. */
export interface OperationContext {
  schema: GraphQLSchema
  fragments: Record<string, FragmentDefinitionNode>
  variableValues: Values
}

type AnyField = GraphQLField<unknown, unknown>

/** Coerced arguments by the node of their field. A field without arguments is absent. */
export type CoercedArguments = ReadonlyMap<FieldNode, Values>

/**
 * Coerces the arguments and directives of all fields that may run. graphql-js would coerce those of an inner field only
 * after the outer field, which may be a mutation, has run. Throws BAD_USER_INPUT.
 */
export function coerceArguments(
  { schema, fragments, variableValues }: OperationContext,
  definition: OperationDefinitionNode
): CoercedArguments {
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
function findField(type: GraphQLCompositeType, { name: { value } }: FieldNode): AnyField | undefined {
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
