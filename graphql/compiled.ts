/** Which queries Mercurius compiles with graphql-jit, which completes long lists faster than graphql-js. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  type OperationDefinitionNode,
  OperationTypeNode,
  typeFromAST
} from 'graphql'
import { countFields } from './admission/document-limits.ts'

/** Fields of an operation that is compiled. Each takes about 30 microseconds, in which nothing else runs. */
const maxFields = 300

const compiled = new WeakMap<OperationDefinitionNode, boolean>()

/** Whether to compile an operation when it comes again. */
export function shouldCompile(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode
): boolean {
  const result = compiled.get(definition) ?? canBeCompiled(schema, document, definition)
  compiled.set(definition, result)
  return result
}

function canBeCompiled(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode
): boolean {
  const { operation, variableDefinitions = [] } = definition
  const text = document.loc?.source.body ?? ''
  return (
    operation === OperationTypeNode.QUERY &&
    countFields(document, definition) <= maxFields &&
    // Introspection is rare. graphql-jit ignores some directives, and loses fields whose alias is __proto__.
    !/@|__(schema|type|proto__)\b/.test(text) &&
    // The code for an input that contains itself, such as a filter, would be endless.
    variableDefinitions.every(({ type }) => isLeafType(getNamedType(typeFromAST(schema, type as never))))
  )
}
