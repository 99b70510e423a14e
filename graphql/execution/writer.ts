import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { badInput } from '../input/where.ts'

/** Writes values of one type, with the fields that are selected, as JSON. */
export interface Writer {
  /** The whole text. */
  write(value: unknown): string
  /** The same text in pieces. Use it for values of which the whole takes long. */
  writePieces(value: unknown): Iterable<string>
}

/** Writes objects. */
export interface ObjectWriter extends Writer {
  /** Each writes one field of an object, after `begin`: its name. */
  fields: (Writer & { name: string; begin: string })[]
}

/**
 * Compiles the selection of a field to a writer of its value. The bytes are the same as from executing and serializing,
 * without the intermediate objects: a list of all templates would need hundreds of megabytes, and hold up the event loop.
 * The resolvers below must be synchronous; nullability is not checked. Throws BAD_USER_INPUT for a field with arguments.
 */
export const compileWriter = (context: unknown, info: GraphQLResolveInfo): Writer =>
  compile(info.returnType, info.fieldNodes, context, info)

/** Compiles the selection of a list to a writer of its items. */
export const compileItemWriter = (context: unknown, info: GraphQLResolveInfo): ObjectWriter =>
  compileObject(getNamedType(info.returnType) as GraphQLObjectType, info.fieldNodes, context, info)

function compileObject(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): ObjectWriter {
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
  const compileField = (node: FieldNode, fieldNodes: readonly FieldNode[]): Writer => {
    const name = node.name.value
    if (name === '__typename') return leafWriter(() => type.name)
    const field = type.getFields()[name]
    if (!field) throw new TypeError(`${type.name} has no field ${name}`)
    if (field.args.length > 0) throw badInput(`${name} is not available in ${info.fieldName}`)
    const { resolve } = field
    const read = (source: unknown) =>
      resolve ? resolve(source, {}, context, info) : (source as { [name: string]: unknown })[name]
    const { write, writePieces } = compile(field.type, fieldNodes, context, info)
    return { write: source => write(read(source)), writePieces: source => writePieces(read(source)) }
  }
  const fields = [...selected].map(([name, nodes], index) => ({
    name,
    begin: `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
    ...compileField(nodes[0] as FieldNode, nodes)
  }))
  return objectWriter(fields)
}

function compile(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  context: unknown,
  info: GraphQLResolveInfo
): Writer {
  if (isNonNullType(type)) return compile(type.ofType, nodes, context, info)
  if (isLeafType(type)) return leafWriter(value => (value == null ? null : type.serialize(value)))
  if (isListType(type)) return listWriter(compile(type.ofType, nodes, context, info))
  return compileObject(type as GraphQLObjectType, nodes, context, info)
}

function leafWriter(serialize: (value: unknown) => unknown): Writer {
  const write = (value: unknown) => JSON.stringify(serialize(value))
  return { write, writePieces: value => [write(value)] }
}

function listWriter(item: Writer): Writer {
  return {
    write: value => (value == null ? 'null' : `[${(value as unknown[]).map(item.write).join()}]`),
    *writePieces(value) {
      if (value == null) return yield 'null'
      yield '['
      for (const [index, each] of (value as unknown[]).entries())
        yield (index === 0 ? '' : ',') + item.write(each)
      yield ']'
    }
  }
}

function objectWriter(fields: ObjectWriter['fields']): ObjectWriter {
  return {
    fields,
    write(value) {
      if (value == null) return 'null'
      let text = '{'
      for (const { begin, write } of fields) text += begin + write(value)
      return `${text}}`
    },
    *writePieces(value) {
      if (value == null) return yield 'null'
      yield '{'
      for (const { begin, writePieces } of fields) {
        yield begin
        yield* writePieces(value)
      }
      yield '}'
    }
  }
}
