/** Operations made from the schema itself that stay inside most limits and are as heavy as those allow. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isNonNullType,
  isObjectType
} from 'graphql'
import fc from '../support/generated/fast-check.ts'
import { schema } from './generate.ts'
import { valuesOf, vary } from './heavy-values.ts'

export interface HeavyOperation {
  query: string
  variables: Record<string, unknown>
  /** What is shown of one that fails. */
  [fc.toStringMethod]?: () => string
}

/** A selected field. Its copies have aliases, and arguments that differ a little. */
interface Field {
  name: string
  given: Argument[]
  copies: number
  /** undefined for a leaf. */
  inner: Field[] | undefined
}

interface Argument {
  name: string
  type: string
  value: unknown
}

/** The limit on aliases, by default. */
const maxAliases = 15
const severalTimes = fc.constantFrom(2, 5, maxAliases + 1)
/** Characters. The limit is 1 MiB by default, and some characters have several bytes. */
const maxBodyLength = 500_000
const maxShownLength = 4000
/** Arguments that make others invalid or a page empty. */
const rare = ['last', 'after', 'before']

const maybe = <T>(weight: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(undefined) }, { weight, arbitrary: value })

const present = <T>(list: (T | undefined)[]): T[] => list.filter(each => each !== undefined)

function argumentOf({ name, type }: GraphQLArgument): fc.Arbitrary<Argument | undefined> {
  const given = valuesOf(type, name).map(value => ({ name, type: String(type), value }))
  if (isNonNullType(type)) return given
  return maybe(name === 'where' ? 60 : rare.includes(name) ? 1 : 10, given)
}

/** Objects in objects: a page has templates, which have revisions. */
const maxLevels = 6

const nodeId: Field = { name: 'nodeId', given: [], copies: 1, inner: undefined }

function fieldOf({ name, args, type }: GraphQLField<unknown, unknown>, level = 0): fc.Arbitrary<Field> {
  const named = getNamedType(type)
  return fc.record({
    name: fc.constant(name),
    given: fc.tuple(...args.map(argumentOf)).map(present),
    copies: fc.oneof({ weight: isObjectType(named) ? 9 : 50, arbitrary: fc.constant(1) }, severalTimes),
    inner: isObjectType(named)
      ? selectionOf(named, level + 1)
      : fc.constant(isInterfaceType(named) ? [nodeId] : undefined)
  })
}

function selectionOf(type: GraphQLObjectType, level: number): fc.Arbitrary<Field[]> {
  const fields = Object.values(type.getFields()).filter(
    ({ type }) => level < maxLevels || !isObjectType(getNamedType(type))
  )
  return fc.tuple(...fields.map(field => maybe(10, fieldOf(field, level)))).map(present)
}

/** Shrinks to the smallest operation of its kind. */
export function heavyOperations(): fc.Arbitrary<HeavyOperation> {
  const query = schema.getQueryType() as GraphQLObjectType
  const field = fc.oneof(...Object.values(query.getFields()).map(field => fieldOf(field)))
  const often = fc.tuple(field, severalTimes).map(([field, copies]) => [{ ...field, copies }])
  return fc
    .oneof(often, fc.array(field, { minLength: 1, maxLength: 3 }))
    .map(print)
    .filter(operation => JSON.stringify(operation).length < maxBodyLength)
}

function print(fields: Field[]): HeavyOperation {
  const variables: HeavyOperation['variables'] = {}
  const definitions: string[] = []
  let aliases = 0
  const toVariable = ({ name, type, value }: Argument, copy: number): string => {
    const variable = `v${definitions.length}`
    definitions.push(`$${variable}: ${type}`)
    variables[variable] = vary(value, copy)
    return `${name}: $${variable}`
  }
  const printAll = (selected: Field[]): string => {
    const names = new Set<string>()
    const texts: string[] = []
    for (const { name, given, copies, inner } of selected)
      for (let copy = 0; copy < copies; copy++) {
        const isAlias = names.has(name)
        if (isAlias && aliases === maxAliases) break
        names.add(name)
        const alias = isAlias ? `a${aliases++}: ` : ''
        const list = given.map(argument => toVariable(argument, copy))
        const text = list.length > 0 ? `(${list.join(', ')})` : ''
        texts.push(`${alias}${name}${text}${inner ? ` ${printAll(inner)}` : ''}`)
      }
    return `{ ${texts.join(' ') || '__typename'} }`
  }
  const text = printAll(fields)
  const query = `query${definitions.length > 0 ? `(${definitions.join(', ')})` : ''} ${text}`
  const shown = JSON.stringify({ query, variables })
  return { query, variables, [fc.toStringMethod]: () => shown.slice(0, maxShownLength) }
}
