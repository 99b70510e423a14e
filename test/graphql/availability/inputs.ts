/** Inputs of every operation that are as large as a body may be: by bytes, by the number of values and by depth. */
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  OperationTypeNode
} from 'graphql'
import { jsonBounds } from '../../../routes/graphql/request.ts'
import { schema } from '../generate.ts'

/** A request whose one variable is large. `variables` is JSON, because no stringify nests as deeply. */
export interface LargeInput {
  name: string
  query: string
  variables: string
}

/** Writes JSON of about this many bytes. */
type Write = (bytes: number) => string
/** What is large, and a way to write it. */
type Large = [what: string, write: Write]

/** The shortest JSON that a type accepts. */
function shortest(type: GraphQLInputType): string {
  if (isNonNullType(type)) return shortest(type.ofType)
  if (isListType(type)) return '[]'
  if (isEnumType(type)) return JSON.stringify(type.getValues()[0]?.name)
  if (!isInputObjectType(type))
    return type.name === 'Boolean' ? 'true' : /Int|Float/.test(type.name) ? '1' : '"1"'
  const required = Object.values(type.getFields()).filter(field => isNonNullType(field.type))
  return `{${required.map(field => `"${field.name}":${shortest(field.type)}`).join(',')}}`
}

/** An input object with one more field. */
function withField(object: string, name: string, value: string): string {
  const rest = object.slice(1)
  return `{"${name}":${value}${rest === '}' ? '' : ','}${rest}`
}

/** Values that a request may have, with room for the rest of it: more are refused before anything is known of them. */
const maxValues = jsonBounds.values - 1000

/** Repeats a text that has values of JSON, up to the limit of values. */
function repeat(text: string, bytes: number): string {
  const values = text.match(/[[{,]/g)?.length ?? 0
  const times = Math.floor(Math.min(bytes / text.length, values > 0 ? maxValues / values : Infinity))
  return text.repeat(Math.max(1, times))
}

/** Everything in a type that can be large, each type of input once on a path. */
function* findLarge(type: GraphQLInputType, path: string, outer: string[] = []): Generator<Large> {
  if (isNonNullType(type)) return yield* findLarge(type.ofType, path, outer)
  if (isListType(type)) {
    const item = shortest(type.ofType)
    yield [`values of ${path}`, bytes => `[${repeat(`${item},`, bytes)}${item}]`]
    for (const [what, write] of findLarge(type.ofType, path, outer))
      yield [what, bytes => `[${write(bytes)}]`]
    return
  }
  if (isInputObjectType(type)) {
    const empty = shortest(type)
    yield [`unknown members of ${path}`, bytes => withField(empty, 'x', `[${repeat('0,', bytes)}0]`)]
    for (const field of Object.values(type.getFields())) {
      const name = getNamedType(field.type).name
      const inner = `${path}.${field.name}`
      if (outer.includes(name)) continue
      if (name === type.name) {
        yield [`depth of ${inner}`, nest(field.type, field.name)]
        if (isListType(field.type))
          yield [`values of ${inner}`, bytes => withField(empty, field.name, `[${repeat('{},', bytes)}{}]`)]
        continue
      }
      for (const [what, write] of findLarge(field.type, inner, [...outer, type.name]))
        yield [what, bytes => withField(empty, field.name, write(bytes))]
    }
    return
  }
  if (isEnumType(type) || !/String|ID|JSON/.test(type.name)) return
  yield [`bytes of ${path}`, bytes => `"${'x'.repeat(bytes)}"`]
  yield [`words of ${path}`, bytes => `"${repeat('ab. ', bytes)}"`]
  yield [`depth in the text of ${path}`, bytes => `"${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}"`]
}

/** An object in itself, as deep as the bytes allow. */
function nest(type: GraphQLInputType, name: string): Write {
  const inList = isListType(isNonNullType(type) ? type.ofType : type)
  const [open, close] = inList ? [`{"${name}":[`, ']}'] : [`{"${name}":`, '}']
  return bytes => {
    const levels = Math.floor(bytes / (open.length + close.length))
    return `${open.repeat(levels)}{}${close.repeat(levels)}`
  }
}

/** The fields of a type, and the leaves of what they lead to. */
function select(type: GraphQLObjectType, levels = 3): string {
  const names = Object.values(type.getFields()).flatMap(({ name, type, args }) => {
    if (args.some(argument => isNonNullType(argument.type) && argument.defaultValue === undefined)) return []
    const named = getNamedType(type)
    if (!isObjectType(named)) return isLeafType(named) ? name : []
    return levels > 1 ? `${name} { ${select(named, levels - 1)} }` : []
  })
  return ['__typename', ...names].join(' ')
}

/** The shortest answer that shows what was found wrong. */
const selectPayload = (type: GraphQLObjectType): string =>
  type.getFields().userErrors ? 'userErrors { code message path }' : select(type, 2)

const isRequired = ({ type, defaultValue }: GraphQLArgument): boolean =>
  isNonNullType(type) && defaultValue === undefined

/** Each operation with each of its inputs as large as a body of `maxBytes` allows. */
export function* largestInputs(maxBytes: number): Generator<LargeInput> {
  for (const operation of Object.values(OperationTypeNode))
    for (const field of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      const type = getNamedType(field.type)
      const selection = isObjectType(type) ? selectPayload(type) : '__typename'
      for (const argument of field.args) {
        const args = field.args.filter(each => each === argument || isRequired(each))
        const declared = args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
        const given = args.map(({ name }) => `${name}: $${name}`).join(', ')
        const selected = isLeafType(type) ? '' : `{ ${selection} }`
        const query = `${operation}(${declared}) { ${field.name}(${given}) ${selected} }`
        for (const [what, write] of findLarge(argument.type, argument.name)) {
          const values = args.map(({ name, type }) => {
            const room = maxBytes - query.length - 1000
            return `"${name}":${name === argument.name ? write(room) : shortest(type)}`
          })
          yield { name: `${field.name}: ${what}`, query, variables: `{${values.join(',')}}` }
        }
      }
    }
}
