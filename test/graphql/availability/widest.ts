/** The widest and deepest operations that the limits let through, made from the schema itself. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument
} from 'graphql'
import { parseServiceOptions } from '../../../options/index.ts'
import { schema } from '../generate.ts'

type Field = GraphQLField<unknown, unknown>

const { graphqlMaxDepth: maxDepth, graphqlMaxAliases: maxAliases } = parseServiceOptions({})

/** Values of the required arguments; the store has them. */
export type Given = Record<string, string>

/** How the fields of an operation are called, and what is selected beside them. */
interface Style {
  given: Given
  /** Page size; the largest one if undefined. */
  first?: number | undefined
  leaves: 'all' | 'one'
}

/** The largest page, by the description of the argument. */
const mostOf = ({ description }: GraphQLArgument): number => {
  const [, most] = /at most (\d+)/.exec(description ?? '') ?? []
  if (most === undefined) throw new Error('the description of a page size does not say its maximum')
  return Number(most)
}

/** A field with its required arguments and its page size. */
function call({ name, args }: Field, { given, first }: Style): string {
  const texts = args.flatMap(argument => {
    if (isRequiredArgument(argument)) return `${argument.name}: ${given[argument.name]}`
    return argument.name === 'first' ? `first: ${first ?? mostOf(argument)}` : []
  })
  return texts.length > 0 ? `${name}(${texts.join(', ')})` : name
}

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields())

const innerType = ({ type }: Field): GraphQLObjectType | undefined => {
  const named = getNamedType(type)
  return isObjectType(named) ? named : undefined
}

function select(type: GraphQLObjectType, style: Style): string {
  const names = fieldsOf(type).flatMap(field => (innerType(field) ? [] : call(field, style)))
  return style.leaves === 'all' ? [...names, '__typename'].join(' ') : (names[0] ?? '__typename')
}

/** Fields that lead from a type to objects, each object type of a path once: `changes`, `nodes`, `contents`. */
function* paths(from: GraphQLObjectType, before: Field[] = []): Generator<Field[]> {
  const seen = new Set(before.map(innerType))
  for (const field of fieldsOf(from)) {
    const type = innerType(field)
    if (!type || seen.has(type)) continue
    const path = [...before, field]
    yield path
    yield* paths(type, path)
  }
}

/** A field of objects, in all others of its path, as often as the limit on aliases allows. */
function repeatLast(path: Field[], outer: Style, inner = outer): string {
  const last = path.at(-1) as Field
  const text = `${call(last, inner)} { ${select(innerType(last) as GraphQLObjectType, inner)} }`
  const copies = Array.from({ length: maxAliases }, (_, index) => `a${index}: ${text}`)
  const repeated = [text, ...copies].join(' ')
  return path
    .slice(0, -1)
    .reduceRight(
      (within, field) =>
        `${call(field, outer)} { ${select(innerType(field) as GraphQLObjectType, outer)} ${within} }`,
      repeated
    )
}

/** Fields in fields up to the limit on depth, through each type again and again. */
function nest(field: Field, by: string, style: Style, levels = maxDepth): string {
  const type = innerType(field) as GraphQLObjectType
  const inner = fieldsOf(type).filter(innerType)
  const next = [by, 'node', 'revisions'].map(name => inner.find(each => each.name === name)).find(Boolean)
  const below = next && levels > 2 ? nest(next, by, style, levels - 1) : ''
  return `${call(field, style)} { ${select(type, style)} ${below} }`
}

/** Imports of `$input`, which ask for everything about what they have written. */
export function* widestImports(): Generator<string> {
  const mutation = schema.getMutationType() as GraphQLObjectType
  const importProducts = mutation.getFields().importProducts as Field
  const style: Style = { given: { input: '$input' }, leaves: 'all' }
  for (const path of paths(innerType(importProducts) as GraphQLObjectType))
    yield `mutation($input: [ImportProductInput!]!) { ${repeatLast([importProducts, ...path], style)} }`
}

export function* widestOperations(given: Given): Generator<string> {
  const query = schema.getQueryType() as GraphQLObjectType
  const styles: Style[] = [
    { given, leaves: 'one' },
    { given, leaves: 'all' }
  ]
  for (const style of styles) for (const path of paths(query)) yield `{ ${repeatLast(path, style)} }`
  // What is wrong is found a thousand times.
  for (const path of paths(query))
    if (path.at(-1)?.args.some(({ name }) => name === 'first'))
      yield `{ ${repeatLast(path, { given, leaves: 'one' }, { given, leaves: 'one', first: -1 })} }`
  // Large pages end at the limit on cost, small ones are answered.
  for (const first of [undefined, 10])
    for (const style of styles)
      for (const field of fieldsOf(query).filter(innerType))
        for (const by of ['nodes', 'edges']) yield `{ ${nest(field, by, { ...style, first })} }`
}
