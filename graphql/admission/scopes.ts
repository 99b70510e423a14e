/**
 * Checks the scopes of an operation. The document tells which scopes it needs, so this comes before work on variables.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type ValueNode
} from 'graphql'
import { MissingScopes, missingScope } from '../errors.ts'
import { createFieldVisitor } from '../selection.ts'
import type { Values } from './demands.ts'

/** The scope that a root field needs besides the scope of its operation. */
export interface Scoped {
  scope: 'write' | 'admin'
}

/**
 * Throws {@link MissingScopes} unless the token has the scopes of all fields that the variables do not exclude. A query
 * whose result may have null for those fields still runs for its other fields.
 */
export function checkScopes(
  type: GraphQLObjectType,
  fragments: Record<string, FragmentDefinitionNode>,
  definition: OperationDefinitionNode,
  variables: Values,
  scopes: readonly string[]
): void {
  const missing = new Map<string, GraphQLError>()
  let [canBeNull, hasOthers] = [true, false]
  for (const node of listFields(definition, fragments, variables)) {
    const field = type.getFields()[node.name.value]
    const { scope } = Object(field?.resolve) as Partial<Scoped>
    if (scope === undefined || scopes.includes(scope)) hasOthers = true
    else {
      const key = (node.alias ?? node.name).value
      missing.set(key, missingScope(scope, { nodes: node, path: [key] }))
      canBeNull &&= !isNonNullType(field?.type)
    }
  }
  if (missing.size === 0) return
  if (hasOthers && canBeNull && definition.operation === OperationTypeNode.QUERY) return
  const isEachNull = canBeNull && !hasOthers
  const data = isEachNull ? Object.fromEntries([...missing.keys()].map(key => [key, null])) : null
  throw new MissingScopes([...missing.values()], data)
}

/** Lists the nodes of the root fields that run: a field that a variable excludes does not. */
function listFields(
  definition: OperationDefinitionNode,
  fragments: Record<string, FragmentDefinitionNode>,
  variables: Values
): FieldNode[] {
  const { variableDefinitions = [] } = definition
  const readCondition = (node: ValueNode | undefined): unknown => {
    if (node?.kind !== Kind.VARIABLE) return node?.kind === Kind.BOOLEAN ? node.value : undefined
    const name = node.name.value
    if (Object.hasOwn(variables, name)) return variables[name]
    return readCondition(
      variableDefinitions.find(({ variable }) => variable.name.value === name)?.defaultValue
    )
  }
  const isIncluded = ({ directives = [] }: SelectionNode) =>
    !directives.some(({ name, arguments: [only] = [] }) => {
      const value = readCondition(only?.value)
      return name.value === 'skip' ? value === true : name.value === 'include' && value === false
    })
  const nodes: FieldNode[] = []
  createFieldVisitor(fragments, isIncluded)(definition, field => void nodes.push(field))
  return nodes
}
