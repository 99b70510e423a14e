/** Finds the fields that are selected below a field. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type NamedTypeNode,
  type SelectionNode
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'
import { isReadField, type ReadField, type TemplateFields } from '../db/templates/product-templates.ts'

/** The data that graphql-js needs to find the fields of a selection: the document, and the operation's variables. */
export type SelectionContext = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** An operation, or a field. */
type WithSelection = Pick<FieldNode, 'selectionSet'>

/**
 * Finds the selected fields of an object, by their names in the response, GraphQL §6.3.2. Each may have several nodes.
 */
export const collectSelectedFields = (
  { schema, fragments, variableValues }: SelectionContext,
  type: GraphQLObjectType,
  nodes: readonly WithSelection[]
): ReadonlyMap<string, readonly FieldNode[]> =>
  collectSubfields(schema, fragments, variableValues, type, nodes as readonly FieldNode[])

/** Whether the directives `skip` and `include` leave a node in. Throws a GraphQLError if one has no value. */
export const isIncluded = (node: SelectionNode, variableValues: Record<string, unknown>): boolean =>
  !node.directives?.length ||
  (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if !== false)

/** Fields for which the document of a template is read. */
const documentFields = new Set(['data', 'document', 'hash'])

export const isDocumentField = (name: string): boolean => documentFields.has(name)

/** Finds the fields of a template that are selected anywhere below a field, without the fields of its revisions. */
export function findSelectedFields(selection: Selection): TemplateFields {
  const fields = new Set<ReadField>()
  for (const { name } of findNodes(selection)) {
    if (isReadField(name.value)) fields.add(name.value)
    // The revision is needed, because a long document is read later, as it was in that revision.
    if (documentFields.has(name.value)) fields.add('data').add('revision')
  }
  return fields
}

/** Finds the selected fields of the contents of revisions, anywhere below a field; undefined if there are none. */
export function findSelectedContents(selection: Selection): TemplateFields | undefined {
  const nodes = findNodes(selection).filter(({ name }) => name.value === 'contents')
  return nodes.length === 0 ? undefined : findSelectedFields({ ...selection, fieldNodes: nodes })
}

/** Whether a field of this name is selected anywhere below a field. */
export const isSelected = (selection: Selection, field: string): boolean =>
  findNodes(selection).some(({ name }) => name.value === field)

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>

/** The field of a template whose resolver reads its own selection, with its own statements. */
const separatelyRead = 'revisions'

/** Finds the nodes below a field, without nodes that another field reads. */
function findNodes({ fieldNodes, fragments, variableValues }: Selection): FieldNode[] {
  const nodes: FieldNode[] = []
  const visitFields = createFieldVisitor(fragments, node => isIncluded(node, variableValues))
  const add = (field: FieldNode): void => {
    nodes.push(field)
    if (field.name.value !== separatelyRead) visitFields(field, add)
  }
  for (const field of fieldNodes) visitFields(field, add)
  return nodes
}

/** Visits a field, and gets the type condition of the innermost fragment that has the field. */
type VisitField = (field: FieldNode, condition: NamedTypeNode | undefined) => void

/**
 * Creates a function that visits the fields of a selection, also those in its fragments. It visits each fragment once.
 */
export function createFieldVisitor(
  fragments: Record<string, FragmentDefinitionNode>,
  isIncluded: (node: SelectionNode) => boolean
): (node: WithSelection | undefined, visit: VisitField) => void {
  const visitedFragments = new Set<string>()
  const visitFields = (
    node: WithSelection | undefined,
    visit: VisitField,
    condition?: NamedTypeNode
  ): void => {
    for (const inner of node?.selectionSet?.selections ?? []) {
      if (!isIncluded(inner)) continue
      if (inner.kind === Kind.FIELD) visit(inner, condition)
      else if (inner.kind === Kind.INLINE_FRAGMENT)
        visitFields(inner, visit, inner.typeCondition ?? condition)
      else if (!visitedFragments.has(inner.name.value)) {
        visitedFragments.add(inner.name.value)
        const fragment = fragments[inner.name.value]
        visitFields(fragment, visit, fragment?.typeCondition)
      }
    }
  }
  return visitFields
}
