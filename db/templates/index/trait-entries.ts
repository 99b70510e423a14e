import type { TraitEntry } from '../../dialects/interface.ts'
import { elementKey, typeKey, valueKey } from '../filter/keys.ts'
import type { Trait } from '../table/document.ts'

/** Makes an entry for each value and for each distinct element of a list. */
export function toTraitEntries(attributes: Trait[]): TraitEntry[] {
  const entries: TraitEntry[] = []
  const types = new Set<string>()
  for (const { traitType, value, valueType } of attributes) {
    const type = typeKey(traitType)
    types.add(type)
    entries.push({ type, key: valueKey(value) })
    if (valueType === 'ARRAY')
      for (const key of new Set((value as string[]).map(elementKey))) entries.push({ type, key })
  }
  return types.size === attributes.length ? entries : withoutDuplicates(entries)
}

/** Removes duplicates: a trait that occurs twice may have equal values. */
function withoutDuplicates(entries: TraitEntry[]): TraitEntry[] {
  const ofTypes = Map.groupBy(entries, ({ type }) => type)
  return [...ofTypes].flatMap(([type, some]) =>
    Array.from(new Set(some.map(({ key }) => key)), key => ({ type, key }))
  )
}

/** Returns the entries that are not known. Compares entries in the same place first, because most are equal. */
export function findUnknown(known: TraitEntry[], entries: TraitEntry[]): TraitEntry[] {
  const moved = entries.filter(({ type, key }, at) => known[at]?.key !== key || known[at].type !== type)
  if (moved.length === 0) return []
  const keys = new Set(known.map(({ type, key }) => `${type}\0${key}`))
  return moved.filter(({ type, key }) => !keys.has(`${type}\0${key}`))
}
