import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { badInput } from '../errors.ts'
import type { Context } from './fields.ts'
import { UnreadList } from './json.ts'
import type { Reading } from './reading.ts'

/** Reads what is selected of a value. Returns JSON values, with each list as an {@link UnreadList}. */
export type ReadValue = (value: unknown) => unknown

/** Read what is selected of an object: a function per field. */
export type FieldReaders = { name: string; read: ReadValue }[]

/**
 * Compiles the selection of a field to a function with the same result as the executor. It is for long lists and documents,
 * for which the executor would block the event loop. The resolvers below the field must be synchronous. Nullability is not
 * checked. Throws BAD_USER_INPUT for a field with arguments.
 */
export const compileRead = (read: Reading, info: GraphQLResolveInfo): ReadValue =>
  compile(info.returnType, info.fieldNodes, { context: { read }, info, own: {} })

/** Like {@link compileRead} for the items of a list; `own` reads some of their fields instead of the resolvers. */
export const compileFields = (
  read: Reading,
  info: GraphQLResolveInfo,
  own: Compilation['own'] = {}
): FieldReaders => {
  const type = getNamedType(info.returnType) as GraphQLObjectType
  return compileObject(type, info.fieldNodes, { context: { read }, info, own })
}

/** What a selection is compiled with. */
interface Compilation {
  context: Context
  info: GraphQLResolveInfo
  /** Reads fields of the outermost type, by their names. */
  own: { [field: string]: (source: never) => unknown }
}

/** Reads an object. Not by assignment, because an alias may be `__proto__`. */
const readObject = (fields: FieldReaders, value: unknown): object =>
  Object.fromEntries(fields.map(({ name, read }) => [name, read(value)]))

function compileObject(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  { context, info, own }: Compilation
): FieldReaders {
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
  return [...selected].map(([name, nodes]) => {
    const fieldName = (nodes[0] as FieldNode).name.value
    if (fieldName === '__typename') return { name, read: () => type.name }
    const { args, resolve, type: fieldType } = type.getFields()[fieldName] as GraphQLField<unknown, Context>
    if (args.length > 0) throw badInput(`${fieldName} is not available in ${info.fieldName}`)
    const resolved: ReadValue = source =>
      resolve ? resolve(source, {}, context, info) : (source as { [name: string]: unknown })[fieldName]
    const read = (own[fieldName] as ReadValue | undefined) ?? resolved
    const complete = compile(fieldType, nodes, { context, info, own: {} })
    return { name, read: source => complete(read(source)) }
  })
}

function compile(type: GraphQLOutputType, nodes: readonly FieldNode[], compilation: Compilation): ReadValue {
  if (isNonNullType(type)) return compile(type.ofType, nodes, compilation)
  if (isLeafType(type)) return value => (value == null ? null : type.serialize(value))
  if (isListType(type)) {
    const read = compile(type.ofType, nodes, compilation)
    return value => (value == null ? null : new UnreadList(value as unknown[], read))
  }
  const fields = compileObject(type as GraphQLObjectType, nodes, compilation)
  return value => (value == null ? null : readObject(fields, value))
}
