import type { IndexEntry, TraitEntry } from '../../dialects/engine.ts'
import type { ProductTemplateTable } from '../../schema.ts'
import { parseDocument, type Trait } from '../document.ts'
import { foldedName } from '../name-columns.ts'
import { searchTerms } from '../search-terms.ts'
import { elementKey, typeKey, valueKey } from '../trait-key.ts'

/** Version of the contents and tables of the index. Raise it with every change, so that each database is reindexed. */
export const indexVersion = 2

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

/** Makes an entry for each value and for each element of a list; equal ones of a trait are one. */
function toTraitEntries(attributes: Trait[]): TraitEntry[] {
  const byType = new Map<string, Set<string>>()
  for (const { traitType, value, valueType } of attributes) {
    const type = typeKey(traitType)
    const keys = byType.get(type) ?? new Set()
    byType.set(type, keys.add(valueKey(value)))
    if (valueType === 'ARRAY') for (const element of value as string[]) keys.add(elementKey(element))
  }
  return [...byType].flatMap(([type, keys]) => Array.from(keys, key => ({ type, key })))
}
