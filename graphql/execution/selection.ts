/** Which fields are selected below a field. */
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import {
  isReadField,
  type ReadField,
  type TemplateFields
} from '../../db/templates/table/product-templates.ts'

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
