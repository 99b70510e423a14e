import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** Whether `data` or `document` is selected anywhere below a field. Documents are most of the bytes read. */
export function selectsDocument({ fieldNodes, fragments }: GraphQLResolveInfo): boolean {
  const seen = new Set<string>()
  const within = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some(selection => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value
        if (seen.has(name)) return false
        seen.add(name)
        return within(fragments[name]?.selectionSet)
      }
      if (selection.kind === Kind.FIELD && ['data', 'document'].includes(selection.name.value)) return true
      return within(selection.selectionSet)
    }) ?? false
  return fieldNodes.some(({ selectionSet }) => within(selectionSet))
}
