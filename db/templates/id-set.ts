/** A set of templates by id, ascending, without duplicates. If `excluded`, all templates except these. */
export interface IdSet {
  ids: Int32Array
  excluded: boolean
}

export const toIdSet = (ids: Iterable<number>): IdSet => ({
  ids: deduplicate(Int32Array.from(ids).sort()),
  excluded: false
})

/** Returns the templates in both sets. */
export function intersect(one: IdSet, other: IdSet): IdSet {
  if (one.excluded && other.excluded) return complement(unite(complement(one), complement(other)))
  const [kept, by] = one.excluded ? [other, one] : [one, other]
  const has = lookUp(by.ids)
  return { ids: kept.ids.filter(id => has(id) !== by.excluded), excluded: false }
}

/** Returns the templates in either set. */
export function unite(one: IdSet, other: IdSet): IdSet {
  if (one.excluded || other.excluded) return complement(intersect(complement(one), complement(other)))
  const ids = new Int32Array(one.ids.length + other.ids.length)
  ids.set(one.ids)
  ids.set(other.ids, one.ids.length)
  return { ids: deduplicate(ids.sort()), excluded: false }
}

export const complement = ({ ids, excluded }: IdSet): IdSet => ({ ids, excluded: !excluded })

/** Makes a function that tells whether a template is in the set. */
export function membership({ ids, excluded }: IdSet): (id: number) => boolean {
  const has = lookUp(ids)
  return id => has(id) !== excluded
}

function lookUp(ids: Int32Array): (id: number) => boolean {
  const known = new Set(ids)
  return id => known.has(id)
}

function deduplicate(sorted: Int32Array): Int32Array {
  return sorted.filter((id, index) => index === 0 || id !== sorted[index - 1])
}
