/** Writes the types of the schema as TypeScript for the client, without the operations. */
import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  parse,
  type StringValueNode,
  type TypeNode
} from 'graphql'

const head = `// \`npm run docs\` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar \`DocumentValue\` in a response. */
export type DocumentValue = Json

/** A value of the scalar \`DocumentValue\` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null
`

/** The types of scalars. Other types have their own names. */
const outputTypes: Record<string, string> = {
  Boolean: 'boolean',
  Float: 'number',
  ID: 'string',
  Int: 'number',
  JSON: 'Json',
  String: 'string'
}
const inputTypes: Record<string, string> = { ...outputTypes, DocumentValue: 'DocumentValueInput' }

const operations = new Set(['Query', 'Mutation', 'Subscription'])

/** Writes the types with their descriptions. */
export const formatSchemaTypes = (schema: string): string =>
  `${head}${parse(schema).definitions.map(formatDefinition).join('')}`

function formatDefinition(node: DefinitionNode): string {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const { value: name } = node.name
      if (operations.has(name)) return ''
      const parents = node.interfaces?.map(parent => parent.name.value).join(', ')
      const properties = node.fields?.map(formatField).join('')
      return `\n${comment('', node)}export interface ${name}${parents ? ` extends ${parents}` : ''} {\n${properties}}\n`
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return `\n${comment('', node)}export interface ${node.name.value} {\n${node.fields?.map(formatInput).join('')}}\n`
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = node.values?.map(value => `${comment('  ', value)}  | '${value.name.value}'\n`)
      return `\n${comment('', node)}export type ${node.name.value} =\n${values?.join('')}`
    }
    default:
      return ''
  }
}

const formatField = (field: FieldDefinitionNode): string =>
  `${comment('  ', field)}  ${field.name.value}: ${formatOutput(field.type)}\n`

function formatOutput(type: TypeNode): string {
  if (type.kind !== Kind.NON_NULL_TYPE) return `${formatOutput({ kind: Kind.NON_NULL_TYPE, type })} | null`
  if (type.type.kind === Kind.LIST_TYPE) return `Array<${formatOutput(type.type.type)}>`
  return outputTypes[type.type.name.value] ?? type.type.name.value
}

/** Callers may pass read-only lists, and undefined for a default. */
function formatInput({ defaultValue, type, ...field }: InputValueDefinitionNode): string {
  const isOptional = type.kind !== Kind.NON_NULL_TYPE || defaultValue !== undefined
  const property = isOptional
    ? `${field.name.value}?: ${formatArgument(type)} | undefined`
    : `${field.name.value}: ${formatArgument(type)}`
  return `${comment('  ', field)}  ${property}\n`
}

function formatArgument(type: TypeNode): string {
  if (type.kind !== Kind.NON_NULL_TYPE) return `${formatArgument({ kind: Kind.NON_NULL_TYPE, type })} | null`
  if (type.type.kind === Kind.LIST_TYPE) return `ReadonlyArray<${formatArgument(type.type.type)}>`
  return inputTypes[type.type.name.value] ?? type.type.name.value
}

function comment(
  indent: string,
  node: { description?: StringValueNode | undefined; directives?: readonly ConstDirectiveNode[] | undefined }
): string {
  const deprecated = node.directives?.find(({ name }) => name.value === 'deprecated')
  const reason = deprecated?.arguments?.[0]?.value
  const lines = [
    ...(node.description?.value.split('\n') ?? []),
    ...(reason?.kind === Kind.STRING ? [`@deprecated ${reason.value}`] : [])
  ]
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}\n`).join('')}${indent} */\n`
}
