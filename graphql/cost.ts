import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode
} from 'graphql'
import { collectFields } from 'graphql/execution/collectFields.js'
import { facetCost } from '../db/templates/facets/facets.ts'
import { rowCost, statementCost } from '../db/templates/meter.ts'
import type { Plan } from '../db/templates/plan/plan.ts'
import { costOfFirstRows } from '../db/templates/read/page.ts'
import type { FilterPlans } from './execution/filter-plans.ts'
import { costOfItems, type Operation } from './execution/operation.ts'
import { countFields } from './execution/selection.ts'
import { sizes } from './input/paging.ts'
import type { FilterInput } from './input/where.ts'

type Arguments = Record<string, unknown>

/** Cost of each field of the query type, without that of finding the matches of its filter. */
const fieldCosts: Record<string, (given: Arguments, plan: Plan, fields: number) => number> = {
  allProducts: ({ limit, offset }, { templates }) =>
    (toSize(limit, templates, templates) + toSize(offset, 0, templates) / 1000) * rowCost,
  products: ({ first, last }, plan, fields) =>
    costOfItems(toSize(first ?? last, sizes.products.usual, sizes.products.most), fields) +
    costOfFirstRows(plan),
  product: (_given, _plan, fields) => statementCost + costOfItems(1, fields),
  productByHash: (_given, _plan, fields) => 2 * statementCost + costOfItems(1, fields),
  revisionDiff: () => 2 * statementCost,
  changes: ({ first }, _plan, fields) =>
    statementCost + costOfItems(toSize(first, sizes.changes.usual, sizes.changes.most), fields),
  traits: ({ types }, plan) => facetCost(plan, types as string[] | undefined)
}

/** Cost of a write, per character of its arguments and in any case. */
const costPerWrittenCharacter = 1 / 20
const costOfWriting = 200

/** Estimates the cost of a mutation from its arguments. */
export const writeCost = (given: object): number =>
  costOfWriting + JSON.stringify(given).length * costPerWrittenCharacter

/** Returns the size that an argument asks for, within the range. Values out of range are refused when it runs. */
const toSize = (value: unknown, otherwise: number, most: number): number =>
  Math.min(Math.max(0, typeof value === 'number' ? value : otherwise), most)

/**
 * Estimates the cost of an operation before it runs, with its coerced variables, and requests it. Throws COST_LIMIT.
 * Fields with invalid arguments cost nothing, because execution reports them.
 */
export async function requestCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Arguments,
  { operation, plans }: { operation: Operation; plans: FilterPlans }
): Promise<void> {
  const type = schema.getRootType(definition.operation)
  if (!type) return
  const fragments = fragmentsOf(document)
  const selected = collectFields(schema, fragments, variables, type, definition.selectionSet)
  const planned = new Set<Plan>()
  let cost = 1
  for (const nodes of selected.values()) {
    const node = nodes[0] as FieldNode
    const field = type.getFields()[node.name.value]
    const estimate = fieldCosts[node.name.value]
    if (!field || !estimate) continue
    try {
      const given = getArgumentValues(field, node, variables)
      const { plan } = await plans.plan(given.where as FilterInput | undefined)
      const { type: returnType } = field
      const selection = { schema, fragments, variableValues: variables, returnType, fieldNodes: nodes }
      cost += estimate(given, plan, countFields(selection))
      planned.add(plan)
    } catch {
      // Execution fails with the same error, and reports its location.
    }
  }
  // Equal filters share a plan, so their matches are found once.
  for (const { strategy, cost: matchCost } of planned) if (strategy !== 'all') cost += matchCost
  await operation.request(cost)
}

const fragmentsOf = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
