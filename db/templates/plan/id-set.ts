/** A set of templates by id, ascending, without duplicates. If `excluded`, all templates except these. */
export interface IdSet {
  ids: Int32Array
  excluded: boolean
}

export const toIdSet = (ids: Iterable<number>): IdSet => ({
  ids: deduplicate(Int32Array.from(ids).sort()),
  excluded: false
})

/** Returns the templates that are in both sets. */
export function intersect(one: IdSet, other: IdSet): IdSet {
  if (one.excluded && other.excluded) return complement(unite(complement(one), complement(other)))
  const [kept, by] = one.excluded ? [other, one] : [one, other]
  return { ids: keep(kept.ids, by.ids, !by.excluded), excluded: false }
}

/** Returns the templates that are in at least one of the sets. */
export function unite(one: IdSet, other: IdSet): IdSet {
  if (one.excluded || other.excluded) return complement(intersect(complement(one), complement(other)))
  const ids = new Int32Array(one.ids.length + other.ids.length)
  ids.set(one.ids)
  ids.set(other.ids, one.ids.length)
  return { ids: deduplicate(ids.sort()), excluded: false }
}

/** Returns the templates that are not in the set. */
export const complement = ({ ids, excluded }: IdSet): IdSet => ({ ids, excluded: !excluded })

/** Whether a template is in the set. */
export function has({ ids, excluded }: IdSet, id: number): boolean {
  let [low, high] = [0, ids.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ids[middle] as number) < id) low = middle + 1
    else high = middle
  }
  return (ids[low] === id) !== excluded
}

/** Returns the ids that are among the others, or those that are not. A callback per id would be ten times slower. */
function keep(ids: Int32Array, others: Int32Array, among: boolean): Int32Array {
  const kept = new Int32Array(ids.length)
  let length = 0
  let other = 0
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number
    while (other < others.length && (others[other] as number) < id) other++
    if ((others[other] === id) === among) kept[length++] = id
  }
  return kept.slice(0, length)
}

/** Removes repeated ids, in place. */
function deduplicate(sorted: Int32Array): Int32Array {
  let length = 0
  for (let index = 0; index < sorted.length; index++)
    if (index === 0 || sorted[index] !== sorted[length - 1]) sorted[length++] = sorted[index] as number
  return sorted.subarray(0, length)
}
