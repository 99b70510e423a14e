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
import { facetCost } from '../db/templates/facets/facets.ts'
import { fieldFacetCost } from '../db/templates/facets/fields.ts'
import { type FilterInput, whereNeedsIndex } from '../db/templates/filter/input.ts'
import { rowCost, statementCost } from '../db/templates/meter.ts'
import { orderNeedsIndex, type TemplateOrder } from '../db/templates/read/order.ts'
import { publishIfPossible } from '../db/templates/revisions/changes.ts'
import { ensureHashed } from '../db/templates/revisions/hashes.ts'
import { costOfItems, countFields } from './execution/selection.ts'
import { sizes } from './paging.ts'
import { costOfReading } from './resolvers/admin/guard.ts'

/** Cost of a template in a complete list, at most, if its documents are parsed and have 12 KB on average. */
const maxCostInCompleteList = 4

type Arguments = Record<string, unknown>

/** A query field that is selected. */
interface Selected {
  given: Arguments
  /** Fields of the response per item. */
  fields: number
  /** Approximate number of templates in the database. */
  templates: number
}

interface QueryFieldRules {
  /** Requested cost, from the arguments. The cost of a filter is known only when it runs. */
  cost(selected: Selected): number
  /** Whether it lists, counts or groups templates, which takes several statements. */
  listsTemplates?: true
  /** Whether it needs the index of templates, whatever its arguments. */
  needsIndex?: true
  /** Writes what must be stored before the field is read: a snapshot is read-only. */
  prepare?(db: Db): Promise<unknown>
}

/** The fields of the query type. */
const rules = {
  allProducts: {
    cost: ({ given: { limit, offset }, templates }) =>
      (toSize(limit, templates, templates) + toSize(offset, 0, templates) / 1000) * rowCost,
    listsTemplates: true
  },
  products: {
    cost: ({ given: { first, last }, fields }) =>
      costOfItems(toSize(first ?? last, sizes.products.default, sizes.products.max), fields),
    listsTemplates: true
  },
  product: { cost: ({ fields }) => statementCost + costOfItems(1, fields) },
  productRevision: { cost: ({ fields }) => statementCost + costOfItems(1, fields) },
  productRevisions: {
    cost: ({ given: { first }, fields }) =>
      statementCost + costOfItems(toSize(first, sizes.revisions.default, sizes.revisions.max), fields)
  },
  revisionByHash: {
    cost: ({ fields }) => 3 * statementCost + costOfItems(1, fields),
    prepare: ensureHashed
  },
  node: { cost: ({ fields }) => statementCost + costOfItems(1, fields) },
  nodes: {
    cost: ({ given: { nodeIds }, fields }) => {
      const { length } = nodeIds as unknown[]
      return length * statementCost + costOfItems(length, fields)
    }
  },
  productByHash: {
    cost: ({ fields }) => 2 * statementCost + costOfItems(1, fields),
    prepare: ensureHashed
  },
  revisionDiff: { cost: () => 2 * statementCost },
  viewer: { cost: () => 2 * statementCost },
  changes: {
    cost: ({ given: { first }, fields }) =>
      statementCost + costOfItems(toSize(first, sizes.changes.default, sizes.changes.max), fields),
    prepare: publishIfPossible
  },
  facets: {
    cost: ({ given: { fields }, templates }) => fieldFacetCost(templates, (fields as unknown[]).length),
    listsTemplates: true
  },
  searchSuggestion: { cost: () => 2 * statementCost, listsTemplates: true, needsIndex: true },
  traits: {
    cost: ({ given: { types }, templates }) => facetCost(templates, (types as string[] | null)?.length),
    listsTemplates: true,
    needsIndex: true
  },
  users: {
    cost: ({ given: { first }, fields }) =>
      costOfReading + costOfItems(toSize(first, sizes.users.default, sizes.users.max), fields)
  },
  user: { cost: ({ fields }) => costOfReading + costOfItems(1, fields) },
  clients: { cost: () => costOfReading },
  webhooks: { cost: () => costOfReading },
  loginProviders: { cost: () => costOfReading },
  auditEvents: {
    cost: ({ given: { first }, fields }) =>
      costOfReading + costOfItems(toSize(first, sizes.auditEvents.default, sizes.auditEvents.max), fields)
  },
  _service: { cost: () => 0 },
  _entities: {
    cost: ({ given: { representations }, fields }) =>
      costOfItems((representations as unknown[]).length, fields),
    listsTemplates: true
  }
} satisfies Record<string, QueryFieldRules>

/** Fields that the query type has only as a subgraph. */
export type SubgraphField = '_service' | '_entities'
/** Its other fields. Each has rules. */
export type QueryField = Exclude<keyof typeof rules, SubgraphField>

/** The fields of the subscription type, for each event. */
const subscriptionRules = {
  productChanged: { cost: ({ fields }) => statementCost + costOfItems(1, fields) }
} satisfies Record<string, QueryFieldRules>

export type SubscriptionField = keyof typeof subscriptionRules

const allRules: Record<string, QueryFieldRules> = { ...rules, ...subscriptionRules }

/** Returns the requested size, limited to the range. The field refuses values out of range when it runs. */
const toSize = (value: unknown, otherwise: number, max: number): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : otherwise), max)

const isByName = (order: unknown): boolean => order != null && orderNeedsIndex(order as TemplateOrder)

/** What an operation asks for. */
export interface Requested {
  cost: number
  listsTemplates: boolean
  /** Whether it needs the index of templates. */
  needsIndex: boolean
  /** Cost that is allowed whatever the limit: that of a complete list of all templates. */
  allowed: number
  prepare: ((db: Db) => Promise<unknown>)[]
}

/** Measures what an operation asks for, from its coerced variables, in a store of about that many templates. */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variableValues: Arguments,
  templates: number
): Requested {
  const request: Requested = {
    cost: 1,
    listsTemplates: false,
    needsIndex: false,
    allowed: 0,
    prepare: []
  }
  const type = schema.getRootType(definition.operation)
  if (!type || definition.operation === OperationTypeNode.MUTATION) return request
  const fragments = fragmentsOf(document)
  const selected = collectFields(schema, fragments, variableValues, type, definition.selectionSet)
  for (const fieldNodes of selected.values()) {
    const [node] = fieldNodes as [FieldNode]
    const name = node.name.value
    if (name.startsWith('__')) continue
    const field = type.getFields()[name] as GraphQLField<unknown, unknown>
    const given = readArguments(field, node, variableValues)
    if (!given) continue
    const fields = countFields({ schema, fragments, variableValues, returnType: field.type, fieldNodes })
    const { cost, listsTemplates, needsIndex, prepare } = allRules[name] as QueryFieldRules
    request.cost += cost({ given, fields, templates })
    request.listsTemplates ||= listsTemplates === true
    request.needsIndex ||=
      needsIndex === true || whereNeedsIndex(given.where as FilterInput | null) || isByName(given.orderBy)
    if (prepare) request.prepare.push(prepare)
    if (name === 'allProducts' && given.where == null && given.limit == null)
      request.allowed = templates * maxCostInCompleteList
  }
  return request
}

/** Undefined for invalid arguments: the execution fails with the same error, and reports its location. */
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
