/** Estimates the requested cost of an operation: its maximum cost, known before the operation runs. */
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType
} from 'graphql'
import { defaultOrder, hasColumnIndex, isByTrait, type TemplateOrder } from '../../db/templates/read/order.ts'
import type { StoreStatistics } from '../../db/templates/statistics.ts'
import { collectSelectedFields, isDocumentField } from '../selection.ts'
import { type FieldDemands, findDemands, type SelectedField } from './demands.ts'
import {
  documentCostPerCharacter,
  entryCost,
  fieldCost,
  itemCost,
  lookUpCost,
  rowCost,
  textCostPerCharacter,
  valueCost
} from './unit-costs.ts'

/** Returns the cost of a field with these demands, with all that is selected below the field. */
export function costOfField(field: SelectedField, demands: FieldDemands): number {
  const { type } = field.definition
  const items = demands.items?.(field) ?? 1
  const own = (demands.ownCost?.(field) ?? lookUpCost) + items * itemCost
  // A page is one object, with fields of its own. Its lists have the items.
  return isList(type)
    ? own + items * costBelow(type, field.fieldNodes, field, demands.itemsPerItem?.(field))
    : own + costBelow(type, field.fieldNodes, field, items)
}

/** The context of the fields of an object, on which their cost depends. */
type CostContext = Omit<SelectedField, 'args' | 'definition' | 'fieldNodes'>

/** Returns the cost of the selected fields of one object. `items` is the number of items in each of its lists. */
function costBelow(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  context: CostContext,
  items = 1
): number {
  const named = getNamedType(type)
  if (!isCompositeType(named)) return 0
  const types = isAbstractType(named) ? context.schema.getPossibleTypes(named) : [named]
  return Math.max(0, ...types.map(each => costOfFields(each, nodes, context, items)))
}

function costOfFields(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  context: CostContext,
  items: number
): number {
  const { statistics, argumentsOf } = context
  const size = type.name === 'ProductDocument' ? meanEntries(statistics) : items
  const fields = type.getFields()
  let sum = 0
  for (const [, fieldNodes] of collectSelectedFields(context, type, nodes)) {
    const [node] = fieldNodes as [FieldNode]
    const field = fields[node.name.value]
    sum += fieldCost
    // The hash of a change or a revision is stored, so it is read without a document.
    if ('data' in fields && isDocumentField(node.name.value))
      sum += statistics.documentBytes * documentCostPerCharacter
    if (!field) continue
    const demands = findDemands(field)
    if (demands) {
      const args = argumentsOf.get(node) ?? {}
      sum += costOfField({ ...context, definition: field, args, fieldNodes }, demands)
    } else sum += (isList(field.type) ? size : 1) * costBelow(field.type, fieldNodes, context)
  }
  return sum
}

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type))

/** Returns the entries of a document, on average. */
export const meanEntries = ({ entries, templates }: StoreStatistics): number =>
  Math.max(1, entries / Math.max(1, templates))

/** Returns the cost of finding all templates that match a filter, by testing each row or by an index. */
export function costOfFilter({ args: { where }, statistics, rule }: SelectedField): number {
  if (where == null && !rule) return 0
  const filter = { and: [where ?? {}, rule?.filter ?? {}] }
  const { conditions, values, traits } = countConditions(filter)
  const planning = JSON.stringify(filter).length * textCostPerCharacter
  return (
    planning +
    statistics.templates * conditions * rowCost +
    statistics.entries * traits * rowCost +
    values * valueCost
  )
}

/** Counts the conditions of a filter, the values in their lists, and the conditions on traits. */
function countConditions(where: object): { conditions: number; values: number; traits: number } {
  const count = { conditions: 1, values: 0, traits: 0 }
  const countIn = (value: unknown, name: string): void => {
    if (Array.isArray(value)) for (const each of value) countIn(each, name)
    else if (typeof value === 'object' && value !== null) {
      if (name === 'trait') count.traits++
      for (const [innerName, inner] of Object.entries(value)) countIn(inner, innerName)
    } else if (name === 'in') count.values++
    else if (value != null) count.conditions++
  }
  countIn(where, '')
  return count
}

/** Returns the cost of sorting all templates that an operation may list, unless an index has the order. */
export const costOfOrder = ({
  args: { orderBy },
  statistics: { templates, entries }
}: SelectedField): number => {
  const order = (orderBy ?? defaultOrder) as TemplateOrder
  if (isByTrait(order)) return templates * entryCost + entries * rowCost
  return hasColumnIndex(order) ? 0 : templates * 3 * rowCost
}
