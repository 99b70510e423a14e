import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isLeafType,
  isListType,
  isNonNullType
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'

/** Writes a value as JSON. */
type Write = (value: never) => string

/** Writes a field of an object, including its name. */
export type WriteField = (source: object) => string

/**
 * Compiles the selection below a field into functions that write an object of `type` as JSON, one per field of the
 * response. The bytes are the same as from executing and serializing, without the intermediate objects. The resolvers
 * below must be synchronous and take no arguments; nullability is not checked.
 */
export function compileFields(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): Map<string, WriteField> {
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
  const compileField = (key: string, fieldNodes: readonly FieldNode[]): WriteField => {
    const name = (fieldNodes[0] as FieldNode).name.value
    const begin = `${JSON.stringify(key)}:`
    if (name === '__typename') return () => `${begin}${JSON.stringify(type.name)}`
    const field = type.getFields()[name]
    if (!field) throw new TypeError(`${type.name} has no field ${name}`)
    const write = compile(field.type, fieldNodes, context, info) as (value: unknown) => string
    const { resolve } = field
    if (resolve) return source => begin + write(resolve(source, {}, context, info))
    return source => begin + write(source[name as never])
  }
  return new Map([...selected].map(([key, fieldNodes]) => [key, compileField(key, fieldNodes)]))
}

function compile(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): Write {
  if (isNonNullType(type)) return compile(type.ofType, nodes, context, info)
  if (isLeafType(type)) return value => (value == null ? 'null' : JSON.stringify(type.serialize(value)))
  if (isListType(type)) {
    const write = compile(type.ofType, nodes, context, info)
    return (list: never[] | null) => (list === null ? 'null' : `[${list.map(write).join()}]`)
  }
  const fields = compileFields(type as GraphQLObjectType, nodes, context, info)
  return (source: object | null) => (source === null ? 'null' : writeObject(fields, source))
}

/** Writes an object with the selected fields. */
export function writeObject(fields: Map<string, WriteField>, source: object): string {
  let text = '{'
  for (const field of fields.values()) text += text.length === 1 ? field(source) : `,${field(source)}`
  return `${text}}`
}
