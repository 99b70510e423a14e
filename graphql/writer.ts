import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isLeafType,
  isListType,
  isNonNullType
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { badInput } from './where.ts'

/** Writes values of one type, with the fields that are selected, as JSON. */
export interface Writer {
  /** The whole text. */
  write(value: unknown): string
  /** The same text in pieces. Use it for values of which the whole takes long. */
  writePieces(value: unknown): Iterable<string>
}

/** Writes an object with the selected fields. */
export interface ObjectWriter extends Writer {
  fields: FieldWriter[]
}

/** Writes one field of an object, without its name. */
export interface FieldWriter {
  /** Its name in the response. */
  key: string
  /** The name and a colon. */
  begin: string
  read(source: unknown): unknown
  value: Writer
}

/**
 * Compiles the selection below a field to a writer of objects of `type`. The bytes are the same as from executing and
 * serializing, without the intermediate objects. The resolvers below must be synchronous; nullability is not checked.
 * Throws BAD_USER_INPUT for a field that takes arguments.
 */
export function compileWriter(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): ObjectWriter {
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
  const compileField = (key: string, fieldNodes: readonly FieldNode[]): FieldWriter => {
    const name = (fieldNodes[0] as FieldNode).name.value
    const begin = `${JSON.stringify(key)}:`
    if (name === '__typename') return { key, begin, read: () => type.name, value: rawLeaf }
    const field = type.getFields()[name]
    if (!field) throw new TypeError(`${type.name} has no field ${name}`)
    if (field.args.length > 0) throw badInput(`${name} is not available in ${info.fieldName}`)
    const value = compile(field.type, fieldNodes, context, info)
    return { key, begin, read: reader(field, context, info), value }
  }
  return objectWriter([...selected].map(([key, fieldNodes]) => compileField(key, fieldNodes)))
}

const reader = (
  { name, resolve }: GraphQLField<unknown, unknown>,
  context: unknown,
  info: GraphQLResolveInfo
): ((source: unknown) => unknown) =>
  resolve ? source => resolve(source, {}, context, info) : source => (source as never)[name]

function compile(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): Writer {
  if (isNonNullType(type)) return compile(type.ofType, nodes, context, info)
  if (isLeafType(type)) return leafWriter(value => type.serialize(value))
  if (isListType(type)) return listWriter(compile(type.ofType, nodes, context, info))
  return compileWriter(type as GraphQLObjectType, nodes, context, info)
}

function leafWriter(serialize: (value: unknown) => unknown): Writer {
  const write = (value: unknown) => (value == null ? 'null' : JSON.stringify(serialize(value)))
  return { write, writePieces: value => [write(value)] }
}

const rawLeaf = leafWriter(value => value)

function listWriter(item: Writer): Writer {
  return {
    write: value => (value == null ? 'null' : `[${(value as unknown[]).map(item.write).join()}]`),
    *writePieces(value) {
      const list = (value ?? []) as unknown[]
      for (const [index, each] of list.entries()) yield (index === 0 ? '[' : ',') + item.write(each)
      if (value == null) yield 'null'
      else yield list.length === 0 ? '[]' : ']'
    }
  }
}

function objectWriter(fields: FieldWriter[]): ObjectWriter {
  return {
    fields,
    write(value) {
      if (value == null) return 'null'
      let text = '{'
      for (const field of fields) {
        if (text.length > 1) text += ','
        text += field.begin + field.value.write(field.read(value))
      }
      return `${text}}`
    },
    *writePieces(value) {
      if (value == null) return yield 'null'
      for (const [index, field] of fields.entries()) {
        yield (index === 0 ? '{' : ',') + field.begin
        yield* field.value.writePieces(field.read(value))
      }
      yield fields.length === 0 ? '{}' : '}'
    }
  }
}
