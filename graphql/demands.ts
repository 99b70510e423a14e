/** What fields demand, known from their arguments and what is selected of them before they run. */
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import type { Db } from '../db/schema.ts'
import { callCost, fieldCost, objectCost, rowCost, statementCost } from '../db/templates/costs.ts'
import type { Plan } from '../db/templates/filter/plan.ts'

/** Coerced arguments or variables. */
export type Values = Record<string, unknown>

/** A field that is selected. */
interface Selected {
  given: Values
  /** Returns the cost of a number of items with the selected fields. */
  costOf(items: number): number
  /** Approximate number of templates in the database. */
  templates: number
  /** Whether a field of this name is selected anywhere below it. */
  selects(field: string): boolean
}

/** A field that is selected, and what it demands. */
export interface SelectedField extends Selected {
  demands: FieldDemands
}

/**
 * What a field of the query type, or an event of a subscription, demands before it runs. The resolver has it beside what it
 * reads (`query` in execution/fields.ts).
 */
export interface FieldDemands {
  /** Requested cost, from the arguments. The cost of a filter is known only when it runs. */
  cost(selected: Selected): number
  /** The cost that is allowed whatever the limit. */
  allowed?(selected: Selected): number
  /**
   * Whether its value depends on the templates alone, so that responses may be kept. A resolver that reads anything else, in
   * this field or below it, sets `read.isCacheable` to false.
   */
  isCacheable: boolean
  /** Whether nobody, not even the client, may keep the response. */
  isSecret?: true
  /**
   * For a field that lists, counts or groups templates, which takes several statements in one snapshot: the cost of the
   * costliest one, at most. Beforehand, `where` is planned.
   */
  costliest?(selected: Selected, plan: Plan, db: Db): number | Promise<number>
  /** Whether it needs the index of templates, whatever its arguments. */
  needsIndex?: true
  /** Stores what the field needs before a snapshot opens, which is read-only. Without one, the field does so itself. */
  prepare?(db: Db): Promise<unknown>
}

/** A resolver with its demands. */
export type Demanding<Resolver = unknown> = Resolver & { demands: FieldDemands }

export const withDemands = <Resolver extends object>(
  demands: FieldDemands,
  resolver: Resolver
): Demanding<Resolver> => Object.assign(resolver, { demands })

/** The cost of one item, which a statement finds. */
export const costOfFound = ({ costOf }: Selected): number => statementCost + costOf(1)

/** Makes the cost of a page, besides what finding it costs. */
export const costOfPage =
  (size: { default: number; max: number }, cost = statementCost) =>
  ({ given: { first }, costOf }: Selected): number =>
    cost + costOf(toSize(first, size))

/** Returns the requested size, limited to the range. The field refuses a size out of range when it runs. */
export const toSize = (value: unknown, size: { default: number; max: number }): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : size.default), size.max)

/** Returns the cost of the items of a list, with the fields of each. */
export const costOfItems = (items: number, selection: ListSelection): number =>
  items * (rowCost + costOfFields(selection))

/** A field, and what is selected below it. */
type ListSelection = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'variableValues' | 'returnType' | 'fieldNodes'
>

/**
 * Returns the cost of the fields below a field, with one item for each list. The cost of the fields below a field with
 * arguments counts later, when that field is resolved.
 */
function costOfFields({ returnType, fieldNodes, ...info }: ListSelection): number {
  const add = (type: GraphQLObjectType, nodes: readonly FieldNode[]): number => {
    const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
    let sum = selected.size * fieldCost
    for (const inner of selected.values()) {
      const field = type.getFields()[inner[0]?.name.value ?? '']
      const named = field && getNamedType(field.type)
      if (field && field.args.length > 0) sum += callCost
      else if (isObjectType(named)) sum += objectCost + add(named, inner)
    }
    return sum
  }
  const type = getNamedType(returnType)
  const types = isAbstractType(type) ? info.schema.getPossibleTypes(type) : [type as GraphQLObjectType]
  return Math.max(...types.map(each => add(each, fieldNodes)))
}
