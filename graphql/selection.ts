import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'
import { isReadField, type ReadField, type TemplateFields } from '../db/templates/product-templates.ts'

/** Finds the fields of a template that are selected anywhere below a field. `document` and `hash` are made from `data`. */
export function selectedFields({ fieldNodes, fragments }: GraphQLResolveInfo): TemplateFields {
  const found = new Set<ReadField>()
  const seen = new Set<string>()
  const lookWithin = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.kind === Kind.FIELD) add(found, selection.name.value)
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

function add(fields: Set<ReadField>, name: string): void {
  // With the revision, a long document can be read later as it was.
  if (name === 'document' || name === 'hash' || name === 'data') fields.add('data').add('revision')
  else if (isReadField(name)) fields.add(name)
}
