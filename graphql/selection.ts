/** Finds the fields that are selected below a field. */
import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { isReadField, type ReadField, type TemplateFields } from '../db/templates/product-templates.ts'

/** The data that graphql-js needs to find the fields of a selection. */
type SelectionContext = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** An operation, or a field. */
type Selecting = Pick<FieldNode, 'selectionSet'>

/** Finds the selected fields of an object, by their names in the response, GraphQL §6.3.2. Each may have several nodes. */
export const selectedSubfields = (
  { schema, fragments, variableValues }: SelectionContext,
  type: GraphQLObjectType,
  nodes: readonly Selecting[]
): ReadonlyMap<string, readonly FieldNode[]> =>
  collectSubfields(schema, fragments, variableValues, type, nodes as readonly FieldNode[])

/** Whether the directives `skip` and `include` leave a node in, GraphQL §3.13. Throws a GraphQLError if one has no value. */
export const isIncluded = (node: SelectionNode, variableValues: Record<string, unknown>): boolean =>
  !node.directives?.length ||
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false)

/** Fields for which the document of a template is read. */
const documentFields = new Set(['data', 'document', 'hash'])

export const isDocumentField = (name: string): boolean => documentFields.has(name)

/** Finds the fields of a template that are selected anywhere below a field, without the fields of its revisions. */
export function selectedFields(selection: Selection): TemplateFields {
  const found = new Set<ReadField>()
  for (const { name } of findNodes(selection)) {
    if (isReadField(name.value)) found.add(name.value)
    // With the revision, because a long document is read later, as it was in that revision.
    if (documentFields.has(name.value)) found.add('data').add('revision')
  }
  return found
}

/** Finds the selected fields of the contents of revisions, anywhere below a field; undefined if there are none. */
export function selectedContents(selection: Selection): TemplateFields | undefined {
  const nodes = findNodes(selection).filter(({ name }) => name.value === 'contents')
  return nodes.length === 0 ? undefined : selectedFields({ ...selection, fieldNodes: nodes })
}

/** Whether a field of this name is selected anywhere below a field. */
export const isSelected = (selection: Selection, field: string): boolean =>
  findNodes(selection).some(({ name }) => name.value === field)

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>

/** The field of a template whose resolver reads its own selection, with its own statements. */
const separatelyRead = 'revisions'

/** Finds the nodes below a field, without nodes that another field reads. Visits each fragment once. */
function findNodes({ fieldNodes, fragments, variableValues }: Selection): FieldNode[] {
  const found: FieldNode[] = []
  const visitedFragments = new Set<string>()
  const visit = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (!isIncluded(selection, variableValues)) continue
      if (selection.kind === Kind.FIELD) {
        found.push(selection)
        if (selection.name.value !== separatelyRead) visit(selection.selectionSet)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet)
      else if (!visitedFragments.has(selection.name.value)) {
        visitedFragments.add(selection.name.value)
        visit(fragments[selection.name.value]?.selectionSet)
      }
    }
  }
  for (const { selectionSet } of fieldNodes) visit(selectionSet)
  return found
}
