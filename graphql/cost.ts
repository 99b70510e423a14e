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
import { facetCost } from '../db/templates/facets.ts'
import { rowCost, statementCost } from '../db/templates/meter.ts'
import type { Plan } from '../db/templates/plan.ts'
import { costOfFirstRows } from '../db/templates/walk.ts'
import type { Operation } from './operation.ts'
import type { FilterInput } from './where.ts'

type Arguments = Record<string, unknown>

/** Cost of each field of the query type, without that of finding the matches of its filter. */
const fieldCosts: Record<string, (given: Arguments, plan: Plan) => number> = {
  allProducts: ({ limit, offset }, plan) =>
    (Math.min(toNumber(limit, plan.templates), plan.templates) +
      Math.min(toNumber(offset, 0), plan.templates) / 1000) *
    rowCost,
  products: ({ first, last }, plan) => toNumber(first ?? last, 50) * rowCost + costOfFirstRows(plan),
  product: () => statementCost,
  productByHash: () => 2 * statementCost,
  revisionDiff: () => 2 * statementCost,
  // Without the templates of the changes, which are counted as they are read.
  changes: ({ first }) => statementCost + toNumber(first, 100) * rowCost,
  traits: ({ types }, plan) => facetCost(plan, types as string[] | undefined)
}

/** Cost of a write, per character of its arguments and in any case. */
const costPerWrittenCharacter = 1 / 20
const costOfWriting = 200

/** Estimates the cost of a mutation from its arguments. */
export const writeCost = (given: object): number =>
  costOfWriting + JSON.stringify(given).length * costPerWrittenCharacter

const toNumber = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise

/**
 * Estimates the cost of an operation before it runs, with its coerced variables, and requests it. Throws COST_LIMIT.
 * Fields with invalid arguments cost nothing, because execution reports them.
 */
export async function requestCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
  variables: Arguments,
  operation: Operation
): Promise<void> {
  const type = schema.getRootType(definition.operation)
  if (!type) return
  const selected = collectFields(schema, fragmentsOf(document), variables, type, definition.selectionSet)
  const plans = new Set<Plan>()
  let cost = 1
  for (const nodes of selected.values()) {
    const node = nodes[0] as FieldNode
    const field = type.getFields()[node.name.value]
    const fieldCost = fieldCosts[node.name.value]
    if (!field || !fieldCost) continue
    try {
      const given = getArgumentValues(field, node, variables)
      const { plan } = await operation.plan(given.where as FilterInput | undefined)
      cost += fieldCost(given, plan)
      plans.add(plan)
    } catch {
      // Execution fails with the same error, and reports its location.
    }
  }
  // Equal filters share a plan, so their matches are found once.
  for (const { strategy, cost: matchCost } of plans) if (strategy !== 'all') cost += matchCost
  await operation.request(cost)
}

const fragmentsOf = ({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> =>
  Object.fromEntries(
    definitions.filter(node => node.kind === Kind.FRAGMENT_DEFINITION).map(node => [node.name.value, node])
  )
