import {
  type FieldNode,
  type GraphQLFieldResolver,
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
  compile(info.returnType, info.fieldNodes, { context: { read }, info, resolvers: {} })

/** Like {@link compileRead} for the items of a list; `resolvers` replace those of their fields. */
export const compileFields = (
  read: Reading,
  info: GraphQLResolveInfo,
  resolvers: Resolvers = {}
): FieldReaders => {
  const type = getNamedType(info.returnType) as GraphQLObjectType
  return compileObject(type, info.fieldNodes, { context: { read }, info, resolvers })
}

/** Synchronous resolvers by field. */
export type Resolvers = Record<string, GraphQLFieldResolver<never, Context>>

/** What a selection is compiled with. The resolvers are those of the outermost type. */
interface Compilation {
  context: Context
  info: GraphQLResolveInfo
  resolvers: Resolvers
}

/** Reads an object. Not by assignment, because an alias may be `__proto__`. */
const readObject = (fields: FieldReaders, value: unknown): object =>
  Object.fromEntries(fields.map(({ name, read }) => [name, read(value)]))

function compileObject(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  { context, info, resolvers }: Compilation
): FieldReaders {
  const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
  return [...selected].map(([name, nodes]) => {
    const fieldName = nodes[0]?.name.value ?? ''
    if (fieldName === '__typename') return { name, read: () => type.name }
    const field = type.getFields()[fieldName]
    if (!field) throw new TypeError(`${type.name} has no field ${fieldName}`)
    if (field.args.length > 0) throw badInput(`${fieldName} is not available in ${info.fieldName}`)
    const resolve = (resolvers[fieldName] as typeof field.resolve) ?? field.resolve
    const resolved: ReadValue = source =>
      resolve ? resolve(source, {}, context, info) : (source as { [name: string]: unknown })[fieldName]
    const complete = compile(field.type, nodes, { context, info, resolvers: {} })
    return { name, read: source => complete(resolved(source)) }
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
