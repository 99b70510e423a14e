import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo
} from 'graphql'

/** A JSON Schema. */
type Schema = Record<string, unknown>

const scalars: Record<string, Schema> = {
  Int: { type: 'integer' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' }
}

/** Makes the JSON Schema of an operation's variables, which are the arguments of its tool. */
export function toInputSchema(schema: GraphQLSchema, document: DocumentNode) {
  const [{ variableDefinitions = [] }] = document.definitions as unknown as [OperationDefinitionNode]
  const descriptions = describeVariables(schema, document)
  const $defs: Record<string, Schema> = {}
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const name = variable.name.value
    const given = typeFromAST(schema, type as never) as GraphQLInputType
    const more = defaultValue && { default: valueFromASTUntyped(defaultValue) }
    properties[name] = { ...toSchema(given, $defs), description: descriptions.get(name), ...more }
    if (isNonNullType(given) && !defaultValue) required.push(name)
  }
  return { type: 'object' as const, properties, required, additionalProperties: false, $defs }
}

/** Finds descriptions for the variables: the descriptions of the arguments that they are passed to. */
function describeVariables(schema: GraphQLSchema, document: DocumentNode): Map<string, string> {
  const typeInfo = new TypeInfo(schema)
  const found = new Map<string, string>()
  const Variable = ({ name }: { name: { value: string } }) => {
    const description = typeInfo.getArgument()?.description
    if (description != null) found.set(name.value, description)
  }
  visit(document, visitWithTypeInfo(typeInfo, { Variable }))
  return found
}

/** Converts a type to a JSON Schema. Input objects go into `$defs`, because a filter contains filters. */
function toSchema(type: GraphQLInputType, $defs: Record<string, Schema>): Schema {
  if (isNonNullType(type)) return toSchema(type.ofType, $defs)
  if (isListType(type)) return { type: 'array', items: toSchema(type.ofType, $defs) }
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type)) return scalars[type.name] ?? { description: type.description }
  const { name } = type
  if (!Object.hasOwn($defs, name)) {
    const properties: Schema = {}
    const required: string[] = []
    $defs[name] = { type: 'object', description: type.description, properties, required }
    for (const field of Object.values(type.getFields())) {
      const { description, defaultValue } = field
      properties[field.name] = { ...toSchema(field.type, $defs), description, default: defaultValue }
      if (isNonNullType(field.type) && defaultValue === undefined) required.push(field.name)
    }
  }
  return { $ref: `#/$defs/${name}` }
}
