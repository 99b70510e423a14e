/**
 * Selects what an operation asks for from plain objects: documents, and the items of long lists. graphql-js would block the
 * event loop for them.
 */
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
import { badInput } from '../errors.ts'
import { selectedSubfields } from '../selection.ts'
import { UnreadList } from './json.ts'

/** Returns what is selected from a value, as JSON values, with each list as an {@link UnreadList}. */
export type Select = (value: unknown) => unknown

/** What is selected from an object: a function per field. */
export type SelectedFields = { name: string; select: Select }[]

/** Read the fields of the outermost objects that are not properties of them, by the names of the fields. */
type Readers = { [field: string]: (source: never) => unknown }

/**
 * Compiles the selection of a field to a function with the same result as graphql-js. No resolver is called: fields are
 * properties. Nullability is not checked. Throws BAD_USER_INPUT for a field with arguments.
 */
export const compileSelection = (info: GraphQLResolveInfo): Select =>
  compile(info.returnType, info.fieldNodes, info)

/** Like {@link compileSelection}, for the items of a list. */
export const compileItems = (info: GraphQLResolveInfo, readers: Readers = {}): SelectedFields =>
  compileObject(getNamedType(info.returnType) as GraphQLObjectType, info.fieldNodes, info, readers)

function compile(type: GraphQLOutputType, nodes: readonly FieldNode[], info: GraphQLResolveInfo): Select {
  if (isNonNullType(type)) return compile(type.ofType, nodes, info)
  if (isLeafType(type)) return value => (value == null ? null : type.serialize(value))
  if (isListType(type)) {
    const select = compile(type.ofType, nodes, info)
    return value => (value == null ? null : new UnreadList(value as unknown[], select))
  }
  const fields = compileObject(type as GraphQLObjectType, nodes, info, {})
  return value => (value == null ? null : selectFields(fields, value))
}

function compileObject(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  info: GraphQLResolveInfo,
  readers: Readers
): SelectedFields {
  return [...selectedSubfields(info, type, nodes)].map(([name, nodes]) => {
    const fieldName = (nodes[0] as FieldNode).name.value
    if (fieldName === '__typename') return { name, select: () => type.name }
    const { args, type: fieldType } = type.getFields()[fieldName] as GraphQLField<unknown, unknown>
    if (args.length > 0) throw badInput(`${fieldName} is not available in ${info.fieldName}`)
    const readProperty = (source: never) => source[fieldName]
    const read = readers[fieldName] ?? readProperty
    const complete = compile(fieldType, nodes, info)
    return { name, select: source => complete(read(source as never)) }
  })
}

/** Not by assignment, because an alias may be `__proto__`. */
const selectFields = (fields: SelectedFields, value: unknown): object =>
  Object.fromEntries(fields.map(({ name, select }) => [name, select(value)]))
