import type { IndexEntry, TraitEntry } from '../../dialects/interface.ts'
import type { ProductTemplateTable } from '../../schema.ts'
import { elementKey, foldedName, searchTerms, typeKey, valueKey } from '../filter/keys.ts'
import { parseDocument, type Trait } from '../table/document.ts'

/** Version of the contents and tables of the index. Raise it with every change, so that each database is reindexed. */
export const indexVersion = 3

/** Makes the index entry of a template from its row. */
export function toIndexEntry({
  id,
  name,
  data
}: Pick<ProductTemplateTable, 'id' | 'name' | 'data'>): IndexEntry {
  const { attributes = [], description = '' } = parseDocument(data) ?? {}
  return {
    id,
    foldedName: foldedName(name),
    traits: toTraitEntries(attributes),
    // Joined here: so many arguments as attributes may be do not fit on the stack.
    terms: searchTerms(name, description ?? '', attributes.map(({ text }) => text).join(' '))
  }
}

/** Makes an entry for each value and for each different element of a list. */
function toTraitEntries(attributes: Trait[]): TraitEntry[] {
  const entries: TraitEntry[] = []
  const types = new Set<string>()
  for (const { traitType, value, valueType } of attributes) {
    const type = typeKey(traitType)
    types.add(type)
    entries.push({ type, key: valueKey(value) })
    if (valueType === 'ARRAY')
      for (const key of new Set((value as string[]).map(elementKey))) entries.push({ type, key })
  }
  return types.size === attributes.length ? entries : withoutRepeated(entries)
}

/** A trait that occurs twice may have equal values. */
function withoutRepeated(entries: TraitEntry[]): TraitEntry[] {
  const ofTypes = Map.groupBy(entries, ({ type }) => type)
  return [...ofTypes].flatMap(([type, some]) =>
    Array.from(new Set(some.map(({ key }) => key)), key => ({ type, key }))
  )
}
