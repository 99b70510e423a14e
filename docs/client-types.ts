/** Writes the schema as TypeScript: interfaces for the client, and the introspection as a type for gql.tada. */
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal'
import {
  buildSchema,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  introspectionFromSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField
} from 'graphql'

const scalars: Record<string, string> = {
  Int: 'number',
  Float: 'number',
  ID: 'string',
  String: 'string',
  Boolean: 'boolean',
  DocumentValue: 'DocumentValue',
  JSON: 'Json'
}

/** Types that include null. */
const nullable = ['DocumentValue', 'DocumentValueInput', 'Json']

const head = `// \`npm run docs\` writes this file from graphql/schema.graphql.

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON value of a document: the scalar \`DocumentValue\` in a response. */
export type DocumentValue = Json

/** What a document may be given: the scalar \`DocumentValue\` in an argument. */
export type DocumentValueInput = string | number | boolean | readonly string[] | null
`

/** Writes every type of the schema as an interface or a union of strings, with its descriptions. */
export function formatSchemaTypes(text: string): string {
  const { types, roots } = listTypes(buildSchema(text))
  return [head, ...types.filter(type => !roots.includes(type)).map(formatType)].filter(Boolean).join('\n')
}

/** Writes the introspection as a type. gql.tada's own command needs an API that TypeScript 7 no longer has. */
export function formatIntrospection(text: string): string {
  const minified = minifyIntrospection(introspectionFromSchema(buildSchema(text)))
  const types = outputIntrospectionFile(minified, { fileType: '.d.ts', shouldPreprocess: true })
  const [, body] = /(export type introspection_types[\s\S]*?\n};)/.exec(types) ?? []
  if (body === undefined) throw new Error('gql.tada writes another form now')
  return `// \`npm run docs\` writes this file from graphql/schema.graphql.

${body}

/** The introspection of the schema, for \`initGraphQLTada\` of gql.tada. */
export type introspection = {
  name: never;
  query: 'Query';
  mutation: 'Mutation';
  subscription: never;
  types: introspection_types;
};
`
}

function listTypes(schema: GraphQLSchema) {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  return { types, roots: [schema.getQueryType(), schema.getMutationType()] as unknown[] }
}

function formatType(type: GraphQLNamedType): string {
  if (isEnumType(type)) return formatEnum(type)
  if (!isObjectType(type) && !isInputObjectType(type)) return ''
  const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(type.getFields())
  const members = fields.map(field => {
    const isInput = isInputObjectType(type)
    const optional = isInput && !isRequiredInputField(field as GraphQLInputField)
    const value = formatReference(field.type, isInput)
    return `${comment(field.description, '  ')}  ${field.name}${optional ? '?' : ''}: ${value}${optional ? ' | undefined' : ''}\n`
  })
  return `${comment(type.description, '')}export interface ${type.name} {\n${members.join('')}}\n`
}

function formatEnum(type: GraphQLEnumType): string {
  const values = type
    .getValues()
    .map(({ name, description }) => `${comment(description, '  ')}  | '${name}'`)
    .join('\n')
  return `${comment(type.description, '')}export type ${type.name} =\n${values}\n`
}

function formatReference(type: GraphQLType, isInput: boolean): string {
  if (isNonNullType(type)) return formatPresent(type.ofType, isInput)
  const present = formatPresent(type, isInput)
  return nullable.includes(present) ? present : `${present} | null`
}

function formatPresent(type: GraphQLType, isInput: boolean): string {
  if (isListType(type)) {
    const element = formatReference(type.ofType, isInput)
    const whole = element.includes(' ') ? `(${element})` : element
    return `${isInput ? 'readonly ' : ''}${whole}[]`
  }
  const { name } = type as GraphQLNamedType
  return name === 'DocumentValue' && isInput ? 'DocumentValueInput' : (scalars[name] ?? name)
}

/** A description as a comment of the usual width. */
function comment(description: string | null | undefined, indent: string): string {
  const text = (description ?? '').replaceAll(/\s+/g, ' ')
  if (text.length < 100) return `${indent}/** ${text} */\n`
  const lines = text.match(/.{1,100}(?: |$)/g) ?? []
  return `${indent}/**\n${lines.map(line => `${indent} * ${line.trimEnd()}\n`).join('')}${indent} */\n`
}
