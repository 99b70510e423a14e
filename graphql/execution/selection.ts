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
import { rowCost } from '../../db/templates/meter.ts'
import {
  isReadField,
  type ReadField,
  type TemplateFields
} from '../../db/templates/table/product-templates.ts'

/** Fields that are, or are made from, the document of a template. */
const documentFields = new Set(['data', 'document', 'hash'])

/** Finds the fields of a template that are selected anywhere below a field. */
export function selectedFields(info: Selection): TemplateFields {
  const found = new Set<ReadField>()
  for (const { name } of findNodes(info)) {
    if (isReadField(name.value)) found.add(name.value)
    // With the revision, a long document can be read later as it was.
    if (documentFields.has(name.value)) found.add('data').add('revision')
  }
  return found
}

/** Returns the fields that are selected of the contents of revisions, anywhere below a field; undefined for none. */
export function selectedContents({ fieldNodes, fragments }: Selection): TemplateFields | undefined {
  const nodes = findNodes({ fieldNodes, fragments }).filter(({ name }) =>
    ['contents', 'product'].includes(name.value)
  )
  return nodes.length === 0 ? undefined : selectedFields({ fieldNodes: nodes, fragments })
}

/** Whether a field of this name is selected anywhere below a field. */
export const isSelected = (info: Selection, field: string): boolean =>
  findNodes(info).some(({ name }) => name.value === field)

type ListSelection = Pick<
  GraphQLResolveInfo,
  'schema' | 'fragments' | 'variableValues' | 'returnType' | 'fieldNodes'
>
type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

/** Finds all nodes below a field; those of a fragment once. */
function findNodes({ fieldNodes, fragments }: Selection): FieldNode[] {
  const found: FieldNode[] = []
  const seen = new Set<string>()
  const lookWithin = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD) found.push(selection)
        lookWithin(selection.selectionSet)
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value)
        lookWithin(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of fieldNodes) lookWithin(selectionSet)
  return found
}

/** Fields that take as much memory as one object, or as one field with arguments, which waits for its turn. */
const fieldsPerObject = 60
const fieldsPerCall = 400

/**
 * Counts the fields of the response below a field, with one item for each list. An object counts as several fields. The
 * fields below a field with arguments are counted later, when that field is resolved.
 */
export function countFields({ returnType, fieldNodes, ...info }: ListSelection): number {
  const count = (type: GraphQLObjectType, nodes: readonly FieldNode[]): number => {
    const selected = collectSubfields(info.schema, info.fragments, info.variableValues, type, nodes)
    let sum = selected.size
    for (const inner of selected.values()) {
      const field = type.getFields()[inner[0]?.name.value ?? '']
      const named = field && getNamedType(field.type)
      if (field && field.args.length > 0) sum += fieldsPerCall
      else if (isObjectType(named)) sum += fieldsPerObject + count(named, inner)
    }
    return sum
  }
  const type = getNamedType(returnType)
  const types = isAbstractType(type) ? info.schema.getPossibleTypes(type) : [type as GraphQLObjectType]
  return Math.max(...types.map(each => count(each, fieldNodes)))
}

/** Cost of a field of an object that the executor completes. */
const fieldCost = 0.1

/** Cost of the items of a list, with the fields of each. */
export const costOfItems = (items: number, fields: number): number => items * (rowCost + fields * fieldCost)
