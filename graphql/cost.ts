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
import { facetCost } from '../db/templates/facets/facets.ts'
import { rowCost, statementCost } from '../db/templates/meter.ts'
import { estimateTemplates } from '../db/templates/read/page.ts'
import { costOfItems, type Operation } from './execution/operation.ts'
import { countFields } from './execution/selection.ts'
import { sizes } from './input/paging.ts'

type Arguments = Record<string, unknown>

/** A query field that is selected. */
interface Selected {
  given: Arguments
  /** Fields of the response per item. */
  fields: number
  /** Approximate number of templates in the database. */
  templates: number
}

/** Requested cost of each query field, from its arguments. The cost of a filter is known only when it runs. */
const requestedCosts = {
  allProducts: ({ given: { limit, offset }, templates }) =>
    (toSize(limit, templates, templates) + toSize(offset, 0, templates) / 1000) * rowCost,
  products: ({ given: { first, last }, fields }) =>
    costOfItems(toSize(first ?? last, sizes.products.default, sizes.products.max), fields),
  product: ({ fields }) => statementCost + costOfItems(1, fields),
  productByHash: ({ fields }) => 2 * statementCost + costOfItems(1, fields),
  revisionDiff: () => 2 * statementCost,
  changes: ({ given: { first }, fields }) =>
    statementCost + costOfItems(toSize(first, sizes.changes.default, sizes.changes.max), fields),
  traits: ({ given: { types }, templates }) => facetCost(templates, (types as string[] | null)?.length)
} satisfies Record<string, (selected: Selected) => number>

/** A field of the query type. Each has a cost. */
export type QueryField = keyof typeof requestedCosts

/** Returns the requested size, limited to the range. The field refuses values out of range when it runs. */
const toSize = (value: unknown, otherwise: number, max: number): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : otherwise), max)

/** Adds up the requested cost of an operation, from its coerced variables. Throws COST_LIMIT. */
export async function requestCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variableValues: Arguments,
  operation: Operation
): Promise<void> {
  const type = schema.getQueryType()
  if (definition.operation !== OperationTypeNode.QUERY || !type) return operation.requestCost(1, 0)
  const fragments = fragmentsOf(document)
  const selected = collectFields(schema, fragments, variableValues, type, definition.selectionSet)
  let cost = 1
  let templates = 0
  for (const fieldNodes of selected.values()) {
    const [node] = fieldNodes as [FieldNode]
    const name = node.name.value
    if (name.startsWith('__')) continue
    const field = type.getFields()[name] as GraphQLField<unknown, unknown>
    const given = readArguments(field, node, variableValues)
    if (!given) continue
    const fields = countFields({ schema, fragments, variableValues, returnType: field.type, fieldNodes })
    // If the store fails, the field also fails and reports the error.
    templates ||= await estimateTemplates(operation.db).catch(() => 0)
    cost += requestedCosts[name as QueryField]({ given, fields, templates })
  }
  operation.requestCost(cost, templates)
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
