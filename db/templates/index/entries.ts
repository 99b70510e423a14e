import type { IndexEntry, TraitEntry } from '../../dialects/engine.ts'
import type { ProductTemplateTable } from '../../schema.ts'
import { parseDocument, type Trait } from '../document.ts'
import { foldedName } from '../name-columns.ts'
import { searchTerms } from '../search-terms.ts'
import { elementKey, storable, typeKey, valueKey } from '../trait-key.ts'

/** Version of the contents and tables of the index. Raise it with every change, so that each database is reindexed. */
export const indexVersion = 1

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
    traits: attributes.flatMap(toTraitEntries),
    traitTexts: attributes.flatMap(({ valueType, text }) => (valueType === 'STRING' ? [storable(text)] : [])),
    terms: searchTerms(name, description ?? '', ...attributes.map(({ text }) => text))
  }
}

/** Makes one entry for the whole, and one for each element of a list. */
function toTraitEntries({ traitType, value, valueType, text }: Trait, position: number): TraitEntry[] {
  const entry = { type: typeKey(traitType), position }
  // Facets count the elements of a list, and an absent value has no text.
  const shown = valueType === 'ARRAY' || valueType === 'ABSENT' ? null : storable(text)
  const elements = valueType === 'ARRAY' ? (value as string[]) : []
  return [
    { ...entry, element: -1, key: valueKey(value), value: shown },
    ...elements.map((each, element) => ({ ...entry, element, key: elementKey(each), value: storable(each) }))
  ]
}
