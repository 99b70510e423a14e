import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode
} from 'graphql'
import { collectFields } from 'graphql/execution/collectFields.js'
import type { Db } from '../db/schema.ts'
import { statementCost } from '../db/templates/costs.ts'
import { type FilterInput, whereNeedsIndex } from '../db/templates/filter/input.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { costOfItems } from './paging.ts'

type Arguments = Record<string, unknown>

/** A field that is selected. */
interface Selected {
  given: Arguments
  /** Returns the cost of a number of items with the selected fields. */
  costOf(items: number): number
  /** Approximate number of templates in the database. */
  templates: number
}

/**
 * What a field of the query type, or an event of a subscription, demands before it runs. The resolver has it beside what it
 * reads (`query` in execution/reading.ts).
 */
export interface FieldDemands {
  /** Requested cost, from the arguments. The cost of a filter is known only when it runs. */
  cost(selected: Selected): number
  /** The cost that is allowed whatever the limit. */
  allowed?(selected: Selected): number
  /**
   * Whether its value depends on the templates alone, so that responses may be kept. A resolver that reads anything else, in
   * this field or below it, sets `output.isCacheable` to false.
   */
  isCacheable: boolean
  /** Whether it lists, counts or groups templates, which takes several statements. */
  listsTemplates?: true
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

const needsIndexForOrder = (order: unknown): boolean =>
  order != null && orderNeedsIndex(order as TemplateOrder)

/** What an operation asks for. */
export interface Requested {
  cost: number
  /** Whether all its fields depend on the templates alone. */
  isCacheable: boolean
  listsTemplates: boolean
  /** Whether it needs the index of templates. */
  needsIndex: boolean
  /** The cost that is allowed whatever the limit. */
  allowed: number
  prepare: ((db: Db) => Promise<unknown>)[]
}

/** Measures what an operation with these coerced variables asks for, in a store of about `templates` templates. */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variableValues: Arguments,
  templates: number
): Requested {
  const request: Requested = {
    cost: 1,
    isCacheable: definition.operation === OperationTypeNode.QUERY,
    listsTemplates: false,
    needsIndex: false,
    allowed: 0,
    prepare: []
  }
  const type = schema.getRootType(definition.operation)
  if (!type || definition.operation === OperationTypeNode.MUTATION) return request
  const fragments = fragmentsOf(document)
  const selection = collectFields(schema, fragments, variableValues, type, definition.selectionSet)
  for (const fieldNodes of selection.values()) {
    const [node] = fieldNodes as [FieldNode]
    const name = node.name.value
    if (name.startsWith('__')) continue
    const field = type.getFields()[name] as GraphQLField<unknown, unknown>
    const given = readArguments(field, node, variableValues)
    if (!given) continue
    const below = { schema, fragments, variableValues, returnType: field.type, fieldNodes }
    // Computed for each field, because it refuses a directive with an invalid variable before anything runs.
    const costOfOne = costOfItems(1, below)
    const { cost, allowed, isCacheable, listsTemplates, needsIndex, prepare } = demandsOf(field)
    const selected = { given, costOf: (items: number) => items * costOfOne, templates }
    request.cost += cost(selected)
    request.isCacheable &&= isCacheable
    request.listsTemplates ||= listsTemplates === true
    request.needsIndex ||=
      needsIndex === true ||
      whereNeedsIndex(given.where as FilterInput | null) ||
      needsIndexForOrder(given.orderBy)
    if (prepare) request.prepare.push(prepare)
    request.allowed = Math.max(request.allowed, allowed?.(selected) ?? 0)
  }
  return request
}

function demandsOf({ name, resolve }: GraphQLField<unknown, unknown>): FieldDemands {
  const { demands } = Object(resolve) as Partial<Demanding>
  if (!demands) throw new TypeError(`the resolver of ${name} must say what it demands`)
  return demands
}

/** Returns undefined for invalid arguments: the execution will fail with the same error, and report its location. */
function readArguments(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variableValues: Arguments
): Arguments | undefined {
  try {
    return getArgumentValues(field, node, variableValues)
  } catch (error) {
    if (error instanceof GraphQLError) return undefined
    throw error
  }
}

const fragmentsOf = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
