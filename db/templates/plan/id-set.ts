/** A set of templates by id. If `excluded`, all templates except these. */
export interface IdSet {
  ids: Set<number>
  excluded: boolean
}

/** Returns the templates that are in both sets. */
export function intersect(one: IdSet, other: IdSet): IdSet {
  if (one.excluded && other.excluded) return { ids: one.ids.union(other.ids), excluded: true }
  if (one.excluded) return { ids: other.ids.difference(one.ids), excluded: false }
  if (other.excluded) return { ids: one.ids.difference(other.ids), excluded: false }
  return { ids: one.ids.intersection(other.ids), excluded: false }
}

/** Returns the templates that are in at least one of the sets. */
export const unite = (one: IdSet, other: IdSet): IdSet =>
  complement(intersect(complement(one), complement(other)))

/** Returns the templates that are not in the set. */
export const complement = ({ ids, excluded }: IdSet): IdSet => ({ ids, excluded: !excluded })
