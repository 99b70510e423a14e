/** Queries generated from the schema: every field and argument, fragments, aliases and directives, at all depths. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType
} from 'graphql'
import { toChangeCursor } from '../../db/cursors.ts'
import { nameColumns, toStorable } from '../../db/templates/filter/keys.ts'
import { defaultOrder, isByTrait, type Position, type TemplateOrder } from '../../db/templates/read/order.ts'
import { toCursor } from '../../graphql/relay.ts'
import { schema } from '../graphql/generate.ts'
import fc from '../support/generated/fast-check.ts'
import type { Where } from './filter.ts'

export interface Operation {
  selection: string
  /** The variables, in brackets. */
  declared: string
  fragments: string
  variables: Record<string, unknown>
  /** Levels of fields. */
  depth: number
}

/** What arguments may name of a store. */
export interface Known {
  ids: number[]
  hashes: string[]
  /** Names, parts of them, and values of traits. */
  texts: string[]
  traitTypes: string[]
}

/** The limit on the levels of fields. */
export const maxDepth = 15
const maxFields = 60
/** One in this many values is one that the argument may refuse. */
const invalidOnceIn = 200
/** An argument is given once in so many times; these less often, so that few answers are empty. */
const rarelyGiven: Record<string, number> = { after: 8, before: 8, where: 4, offset: 5 }
const searches = [
  'common',
  'rare caf',
  'port 7',
  'nothing at all',
  'amb oa',
  ' ',
  'odd',
  'cmomon',
  'rrare coffe',
  'protugal'
]
const dates = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-12-31']
const times = ['2025-12-29T09:20:00.000001Z', '2025-12-29T09:20:03.000004Z', '2026-01-01T00:00:00.000000Z']

/** Draws from the generator: a number below a bound, a boolean with a chance, an element. Lower is simpler. */
class Draw {
  readonly #gen: fc.GeneratorValue
  constructor(gen: fc.GeneratorValue) {
    this.#gen = gen
  }
  below(bound: number): number {
    return bound <= 1 ? 0 : this.#gen(fc.nat, { max: bound - 1 })
  }
  oneIn(count: number): boolean {
    return this.below(count) === count - 1
  }
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

/** Makes a query. `root` are the fields of the query type that it may have. */
export const makeQuery = (gen: fc.GeneratorValue, known: Known, root?: readonly string[]): Operation =>
  new OperationMaker(new Draw(gen), known).make(root)

/** Makes a filter and an order. */
export const makeListArguments = (
  gen: fc.GeneratorValue,
  known: Known
): {
  where: Where
  orderBy: TemplateOrder
  limit: number | null
} => new OperationMaker(new Draw(gen), known).makeListArguments()

export const makeSelection = (gen: fc.GeneratorValue, known: Known): Operation =>
  new OperationMaker(new Draw(gen), known).makeTemplate()

class OperationMaker {
  readonly #draw: Draw
  readonly #known: Known
  readonly #variables: Record<string, unknown> = {}
  readonly #declared: string[] = []
  readonly #fragments: string[] = []
  /** The arguments of a field that has no alias, because equal fields of one selection must agree. */
  readonly #arguments = new Map<string, string>()
  readonly #names = new Map<string, { type: string; depth: number }>()
  #order = defaultOrder
  #aliases = 0
  #left = maxFields
  #depth = 0

  constructor(draw: Draw, known: Known) {
    this.#draw = draw
    this.#known = known
  }

  make(root: readonly string[] | undefined): Operation {
    const type = schema.getQueryType() as GraphQLObjectType
    const selection = this.#selection(type, maxDepth, { root, isListed: false })
    return { ...this.#rest(), selection, depth: this.#depth }
  }

  /** Makes a selection of a template, for the payload of a mutation. */
  makeTemplate(): Operation {
    const type = schema.getType('ProductTemplate') as GraphQLObjectType
    const selection = this.#selection(type, maxDepth - 2, { isListed: false })
    return { ...this.#rest(), selection, depth: this.#depth }
  }

  makeListArguments() {
    const { args } = (schema.getQueryType() as GraphQLObjectType).getFields().allProducts as GraphQLField<
      unknown,
      unknown
    >
    const values = args.map(({ name, type }) => [name, this.#valueOf(name, 'allProducts', type)])
    const { where, orderBy } = Object.fromEntries(values)
    // Without a limit, nothing may be missing.
    return {
      where: where ?? {},
      orderBy: orderBy ?? defaultOrder,
      limit: this.#draw.oneIn(2) ? this.#draw.below(30) : null
    }
  }

  #rest() {
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : ''
    return { declared, fragments: this.#fragments.join(' '), variables: this.#variables }
  }

  /** `isListed`: below `allProducts`, where fields take no arguments. */
  #selection(
    type: GraphQLObjectType,
    levels: number,
    more: { root?: readonly string[] | undefined; isListed: boolean }
  ): string {
    const fields = Object.values(type.getFields()).filter(
      ({ name, args, type }) =>
        (more.root?.includes(name) ?? true) &&
        !(more.isListed && args.length > 0) &&
        (levels > (isInterfaceType(getNamedType(type)) ? 2 : 1) || !isCompositeType(getNamedType(type)))
    )
    const parts: string[] = []
    this.#depth = Math.max(this.#depth, maxDepth - levels + 1)
    // A path to the depth is as likely as a wide selection.
    const wanted = 1 + this.#draw.below(this.#draw.oneIn(4) ? 8 : 3)
    while (parts.length < wanted) parts.push(this.#part(type, fields, levels, more.isListed))
    return `{ ${parts.join(' ')} }`
  }

  #part(
    type: GraphQLObjectType,
    fields: GraphQLField<unknown, unknown>[],
    levels: number,
    isListed: boolean
  ): string {
    const draw = this.#draw
    if (fields.length === 0 || draw.oneIn(25))
      return `${draw.oneIn(2) ? this.#newAlias() : ''}__typename${this.#directive()}`
    const isInner = levels < maxDepth && this.#left > 0
    if (isInner && draw.oneIn(20)) {
      const on = draw.oneIn(2) ? ` on ${type.name}` : ''
      return `...${on}${this.#directive()} ${this.#selection(type, levels, { isListed })}`
    }
    if (isInner && draw.oneIn(20)) return `...${this.#fragment(type, levels, isListed)}${this.#directive()}`
    return this.#field(this.#chooseField(fields), levels, isListed)
  }

  #chooseField(fields: GraphQLField<unknown, unknown>[]): GraphQLField<unknown, unknown> {
    const leaves = fields.filter(({ type }) => !isCompositeType(getNamedType(type)))
    const objects = fields.filter(({ type }) => isCompositeType(getNamedType(type)))
    const isLeaf = objects.length === 0 || (leaves.length > 0 && (this.#left <= 0 || this.#draw.oneIn(2)))
    return this.#draw.of(isLeaf ? leaves : objects)
  }

  #field({ name, args, type }: GraphQLField<unknown, unknown>, levels: number, isListed: boolean): string {
    this.#left--
    const hasAlias = this.#draw.oneIn(8)
    const key = `${name} ${args.map(arg => arg.name).join()}`
    const given = (hasAlias ? undefined : this.#arguments.get(key)) ?? this.#giveArguments(name, args)
    if (!hasAlias) this.#arguments.set(key, given)
    const named: GraphQLNamedOutputType = getNamedType(type)
    const inner = isObjectType(named)
      ? ` ${this.#selection(named, levels - 1, { isListed: isListed || name === 'allProducts' })}`
      : isInterfaceType(named)
        ? ` { __typename nodeId ${this.#onType(levels - 1)} }`
        : ''
    return `${hasAlias ? this.#newAlias() : ''}${name}${given}${this.#directive()}${inner}`
  }

  /** Makes the selection of a type that a `nodeId` is made of below. */
  #onType(levels: number): string {
    const type = schema.getType(this.#draw.of(['ProductTemplate', 'ProductRevision'])) as GraphQLObjectType
    return `... on ${type.name} ${this.#selection(type, levels, { isListed: false })}`
  }

  #newAlias(): string {
    return `a${this.#aliases++}: `
  }

  #fragment(type: GraphQLObjectType, levels: number, isListed: boolean): string {
    // One that is used again must not be deeper than is left, and its fields must be allowed.
    const again = [...this.#names].find(
      ([, found]) => found.type === `${type.name} ${isListed}` && found.depth <= levels
    )
    if (again && this.#draw.oneIn(2)) return again[0]
    const name = `F${this.#fragments.length}`
    const place = this.#fragments.push('') - 1
    this.#fragments[place] = `fragment ${name} on ${type.name} ${this.#selection(type, levels, { isListed })}`
    this.#names.set(name, { type: `${type.name} ${isListed}`, depth: levels })
    return name
  }

  #directive(): string {
    if (!this.#draw.oneIn(10)) return ''
    const name = this.#draw.of(['include', 'skip'])
    const value = this.#draw.oneIn(2) === (name === 'include')
    if (this.#draw.oneIn(2)) return ` @${name}(if: ${value})`
    return ` @${name}(if: $${this.#declare('Boolean!', value)})`
  }

  #declare(type: string, value: unknown): string {
    const name = `v${this.#declared.length}`
    this.#declared.push(`$${name}: ${type}`)
    this.#variables[name] = value
    return name
  }

  #giveArguments(field: string, args: readonly GraphQLArgument[]): string {
    const isBackward = this.#draw.oneIn(4)
    this.#order = defaultOrder
    // Last the cursors, which are valid in one order only.
    const isCursor = ({ name }: GraphQLArgument) => name === 'after' || name === 'before'
    const sorted = [...args.filter(arg => !isCursor(arg)), ...args.filter(isCursor)]
    const given = sorted.filter(({ name, type }) => {
      if (isNonNullType(type)) return true
      if (field === 'products' && name === (isBackward ? 'first' : 'last')) return false
      return this.#draw.oneIn(rarelyGiven[name] ?? 3)
    })
    const texts = given.map(({ name, type }) => {
      const value = this.#valueOf(name, field, type)
      if (name === 'orderBy') this.#order = (value as TemplateOrder | null) ?? defaultOrder
      // As a variable, or as a literal.
      return `${name}: ${this.#draw.oneIn(3) ? `$${this.#declare(String(type), value)}` : toLiteral(value, type)}`
    })
    return texts.length > 0 ? `(${texts.join(', ')})` : ''
  }

  #valueOf(name: string, field: string, type: GraphQLInputType, levels = 3): unknown {
    const draw = this.#draw
    const nullable = getNullableType(type)
    if (nullable === type && draw.oneIn(20) && name !== 'document') return null
    if (isListType(nullable))
      return Array.from({ length: draw.below(4) }, () =>
        this.#valueOf(name, field, nullable.ofType, levels - 1)
      )
    if (isEnumType(nullable)) return draw.of(nullable.getValues()).name
    if (isInputObjectType(nullable)) {
      const inner = Object.values(nullable.getFields()).filter(
        ({ type }) =>
          isNonNullType(type) || (draw.oneIn(5) && (levels > 0 || !isInputObjectType(getNamedType(type))))
      )
      return Object.fromEntries(
        inner.map(each => [each.name, this.#valueOf(each.name, nullable.name, each.type, levels - 1)])
      )
    }
    return this.#leafOf(name, field, String(nullable))
  }

  #cursor(): string {
    const draw = this.#draw
    const id = draw.of([...this.#known.ids, 0])
    const text = draw.of(this.#known.texts)
    const keys: Record<string, Position['key']> = {
      ID: id,
      NAME: nameColumns(text).name_key,
      COMPONENT_NAME: 'DefaultProduct',
      BLOCKCHAIN_ID: 1,
      PUBLIC_PRODUCT: 1,
      MAX_ITEMS: 100
    }
    const key = isByTrait(this.#order)
      ? draw.of<[number, string]>([
          [1e17, toStorable([...text].slice(0, 40).join(''))],
          [7, '7'],
          [2e15, '']
        ])
      : (keys[this.#order.field] ?? draw.of(times))
    return toCursor(this.#order, { key, id })
  }

  #leafOf(name: string, field: string, type: string): unknown {
    const draw = this.#draw
    const { ids, hashes, texts, traitTypes } = this.#known
    if (type === 'Float') return draw.of([-1, 0, 1.5, 7, 7.5, 1e15])
    if (field === 'DateFilter') return draw.of(dates)
    if (field !== 'TimeFilter' && draw.oneIn(invalidOnceIn))
      return type === 'Int' ? -1 - draw.below(2 ** 31) : type === 'Boolean' ? true : 'invalid'
    if (type === 'Boolean') return draw.oneIn(2)
    if (type === 'DocumentValue')
      return draw.of<unknown>(['Portugal', 'Port', '', '7', 7, -1, true, ['red', 'blue'], []])
    if (type === 'Int') {
      if (name === 'id') return draw.of([...ids, 999])
      if (['revision', 'from', 'to', 'number'].includes(name)) return draw.below(5)
      if (name === 'first' && ['revisions', 'productRevisions', 'changes'].includes(field))
        return draw.below(4)
      return draw.below(30)
    }
    if (type === 'ID') {
      const key = draw.oneIn(2)
        ? ['ProductTemplate', draw.of(ids)]
        : ['ProductRevision', draw.of(ids), 1 + draw.below(4)]
      return Buffer.from(JSON.stringify(key)).toString('base64url')
    }
    if (name === 'hash') return draw.of([...hashes, '0'.repeat(64)]).slice(0, draw.of([64, 71, 16, 15]))
    if (field === 'StringFilter') return draw.of([...texts, '', '1001', '10'])
    if (name === 'search') return draw.of(searches)
    if (name === 'after' && field === 'changes') return toChangeCursor(draw.below(6))
    if (name === 'after' && field.toLowerCase().endsWith('revisions'))
      return Buffer.from(`revision:${1 + draw.below(4)}`).toString('base64url')
    if (name === 'after' || name === 'before') return this.#cursor()
    if (['type', 'types', 'trait'].includes(name)) return draw.of(traitTypes)
    return draw.of(field === 'TimeFilter' ? times : texts)
  }
}

function toLiteral(value: unknown, type: GraphQLInputType): string {
  const nullable = getNullableType(type)
  if (value === null) return 'null'
  if (isEnumType(nullable)) return String(value)
  if (isListType(nullable))
    return `[${(value as unknown[]).map(each => toLiteral(each, nullable.ofType)).join(', ')}]`
  if (!isInputObjectType(nullable)) return JSON.stringify(value)
  const fields = nullable.getFields()
  const entries = Object.entries(value as object).map(
    ([name, each]) => `${name}: ${toLiteral(each, fields[name]?.type as GraphQLInputType)}`
  )
  return `{${entries.join(', ')}}`
}
