/** What fields demand, known before they run from their arguments and what is selected below them. */
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import type { Db } from '../db/schema.ts'
import { callCost, fieldCost, objectCost, rowCost } from '../db/templates/costs.ts'
import type { Plan } from '../db/templates/filter/plan.ts'
import { isReadField, type ReadField, type TemplateFields } from '../db/templates/table/product-templates.ts'

/** Coerced arguments or variables. */
export type Values = Record<string, unknown>

/** A field that is selected, and what it demands. */
export interface SelectedField {
  demands: FieldDemands
  given: Values
  /** Returns the cost of a number of items with the selected fields. */
  costOf(items: number): number
  /** Approximate number of templates in the database. */
  templates: number
  /** Whether a field of this name is selected anywhere below it. */
  selects(field: string): boolean
}

/**
 * What a field of the query type, or an event of a subscription, demands before it runs. The resolver has it beside what it
 * reads (`query` in execution/fields.ts).
 */
export interface FieldDemands {
  /** Its cost besides its items, which `query` charges before it runs. */
  fixed?: number
  /** Requested cost of its items, from the arguments. The field charges them when it knows them, and the cost of a filter. */
  items?(field: SelectedField): number
  /** The cost that is allowed whatever the limit. */
  allowed?(field: SelectedField): number
  /**
   * For a field that lists, counts or groups templates, which takes several statements in one snapshot: the cost of the
   * costliest statement, at most, from the plan of `where`; 0 if all are short, whatever is planned.
   */
  costliest?: 0 | ((field: SelectedField, plan: Plan, db: Db) => number | Promise<number>)
  /** Whether it needs the index of templates, whatever its arguments. */
  needsIndex?: true
  /** Stores what the field needs before a snapshot opens, which is read-only. Without one, the field does so itself. */
  prepare?(db: Db): Promise<unknown>
}

/** A resolver with its demands. */
export type Demanding<Resolver = unknown> = Resolver & { demands: FieldDemands }

/** The items of a field that returns one. */
export const oneItem = ({ costOf }: SelectedField): number => costOf(1)

/** Makes the cost of the items of a page. */
export const pageOf =
  (size: { default: number; max: number }) =>
  ({ given: { first }, costOf }: SelectedField): number =>
    costOf(toSize(first, size))

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

/** Fields for which the document of a template is read. */
const documentFields = new Set(['data', 'document', 'hash'])

/** Finds the fields of a template that are selected anywhere below a field, but not those of its revisions. */
export function selectedFields(info: Selection): TemplateFields {
  const found = new Set<ReadField>()
  for (const { name } of findNodes(info)) {
    if (isReadField(name.value)) found.add(name.value)
    // A long document is read later, as it was in this revision.
    if (documentFields.has(name.value)) found.add('data').add('revision')
  }
  return found
}

/** Finds the selected fields of the contents of revisions, anywhere below a field; undefined if there are none. */
export function selectedContents({ fieldNodes, fragments }: Selection): TemplateFields | undefined {
  const nodes = findNodes({ fieldNodes, fragments }).filter(({ name }) =>
    ['contents', 'product'].includes(name.value)
  )
  return nodes.length === 0 ? undefined : selectedFields({ fieldNodes: nodes, fragments })
}

/** Whether a field of this name is selected anywhere below a field. */
export const isSelected = (info: Selection, field: string): boolean =>
  findNodes(info).some(({ name }) => name.value === field)

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** The field of a template whose resolver reads what is selected below it, with statements of its own. */
const readsItself = 'revisions'

/** Finds the nodes below a field, but not those that another field reads. Visits each fragment once. */
function findNodes({ fieldNodes, fragments }: Selection): FieldNode[] {
  const found: FieldNode[] = []
  const seen = new Set<string>()
  const lookWithin = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        found.push(selection)
        if (selection.name.value !== readsItself) lookWithin(selection.selectionSet)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) lookWithin(selection.selectionSet)
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        lookWithin(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of fieldNodes) lookWithin(selectionSet)
  return found
}
