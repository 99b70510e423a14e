import { setImmediate } from 'node:timers/promises'
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  type SelectionSetNode
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import {
  isReadField,
  type ReadField,
  type TemplateFields
} from '../../db/templates/table/product-templates.ts'
import type { Context } from '../execute.ts'
import { badInput } from '../input/where.ts'
import type { Operation } from './operation.ts'

/** Fields of a list that the executor completes per turn, for all aliases together. */
const fieldsPerTurn = 2000
/** Items with documents that it completes per turn. */
const documentsPerTurn = 10

/** Fields that are, or are made from, the document of a template. */
const documentFields = new Set(['data', 'document', 'hash'])

/** Finds the fields of a template that are selected anywhere below a field. */
export function selectedFields(info: Selection): TemplateFields {
  const found = new Set<ReadField>()
  for (const { name } of findNodes(info)) {
    if (isReadField(name.value)) found.add(name.value)
    // With the revision, a long document can be read later as it was.
    if (documentFields.has(name.value)) found.add('data').add('revision')
  }
  return found
}

/** Returns the template fields that are selected in `product`, anywhere below a field; undefined without `product`. */
export function selectedProduct({ fieldNodes, fragments }: Selection): TemplateFields | undefined {
  const nodes = findNodes({ fieldNodes, fragments }).filter(({ name }) => name.value === 'product')
  return nodes.length === 0 ? undefined : selectedFields({ fieldNodes: nodes, fragments })
}

type ListSelection = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'variableValues' | 'returnType' | 'fieldNodes'
>
type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** Finds all nodes below a field; those of a fragment once. */
function findNodes({ fieldNodes, fragments }: Selection): FieldNode[] {
  const found: FieldNode[] = []
  const seen = new Set<string>()
  const lookWithin = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD) found.push(selection)
        lookWithin(selection.selectionSet)
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        lookWithin(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of fieldNodes) lookWithin(selectionSet)
  return found
}

/** Fields that take as much memory as one object, or as one field with arguments, which waits for its turn. */
const fieldsPerObject = 60
const fieldsPerCall = 400

/**
 * Counts the fields of the response below a field, with one item for each list. An object counts as several fields. The
 * fields below a field with arguments are counted later, when that field is resolved.
 */
export function countFields({ returnType, fieldNodes, ...info }: ListSelection): number {
  const count = (type: GraphQLObjectType, nodes: readonly FieldNode[]): number => {
    const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
    let sum = selected.size
    for (const inner of selected.values()) {
      const field = type.getFields()[inner[0]?.name.value ?? '']
      const named = field && getNamedType(field.type)
      if (field && field.args.length > 0) sum += fieldsPerCall
      else if (isObjectType(named)) sum += fieldsPerObject + count(named, inner)
    }
    return sum
  }
  return count(getNamedType(returnType) as GraphQLObjectType, fieldNodes)
}

/** Reads what is selected of a value, as JSON values. */
export type ReadValue = (value: unknown) => unknown

/** Reads what is selected of an object, field by field. */
export type FieldReaders = { name: string; read: ReadValue }[]

/**
 * Compiles the selection of a field to a function, whose result is the same as from executing. It is for lists and documents
 * that are long: executing would hold up the event loop. The resolvers below must be synchronous; nullability is not
 * checked. Throws BAD_USER_INPUT for a field with arguments.
 */
export const compileRead = (context: Context, info: GraphQLResolveInfo): ReadValue =>
  compile(info.returnType, info.fieldNodes, { context, info, resolvers: {} })

/** Compiles the selection of the items of a list, likewise; with other `resolvers` for their fields. Errors have a path. */
export const compileFields = (
  context: Context,
  info: GraphQLResolveInfo,
  resolvers: Resolvers = {}
): FieldReaders =>
  compileObject(getNamedType(info.returnType) as GraphQLObjectType, info.fieldNodes, {
    context,
    info,
    resolvers
  }).map(({ name, read }) => {
    const located: ReadValue = item => {
      try {
        return read(item)
      } catch (error) {
        throw locatedError(error, info.fieldNodes, [name])
      }
    }
    return { name, read: located }
  })

/** Synchronous resolvers by field. */
export type Resolvers = Record<string, (source: never, arguments_: object, context: Context) => unknown>

/** What a selection is compiled for. The resolvers are those of the outermost type. */
interface Compilation {
  context: Context
  info: GraphQLResolveInfo
  resolvers: Resolvers
}

/** Reads an object. Not by assignment, because an alias may be `__proto__`. */
export const readObject = (fields: FieldReaders, value: unknown): object =>
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
    return value => (value == null ? null : (value as unknown[]).map(read))
  }
  const fields = compileObject(type as GraphQLObjectType, nodes, compilation)
  return value => (value == null ? null : readObject(fields, value))
}

/** Makes a resolver of a list. Per turn, the executor completes only as many items as take a millisecond or two. */
export const resolveSlices =
  <T>(items: T[]) =>
  (_arguments: unknown, { operation }: { operation: Operation }, info: GraphQLResolveInfo) => {
    const hasDocuments = selectedFields(info).has('data')
    const size = hasDocuments ? documentsPerTurn : Math.ceil(fieldsPerTurn / countFields(info))
    return items.length <= size ? items : slice(operation, items, size)
  }

/** Lets the items of each slice wait for a turn of the event loop. */
function slice<T>(operation: Operation, items: T[], size: number): Promise<T>[] {
  const list: Promise<T>[] = []
  for (let start = 0; start < items.length; start += size) {
    const turn = operation.evaluate(setImmediate)
    list.push(...items.slice(start, start + size).map(item => turn.then(() => item)))
  }
  return list
}

/** Makes a Relay connection of items in memory. */
export const toConnection = <Node, More extends object>(
  edges: { cursor: string; node: Node }[],
  pages: More
) => ({
  edges: resolveSlices(edges),
  nodes: resolveSlices(edges.map(({ node }) => node)),
  // The position of a template that has been deleted since is still valid.
  pageInfo: { ...pages, startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor }
})
