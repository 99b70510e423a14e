import type { ProductTemplateTable } from '../../schema.ts'
import { folded } from '../filter/search-terms.ts'
import { storable } from '../filter/trait-key.ts'

/** The folded name, for case-insensitive comparison, and its prefix that fits into an index. */
export function nameColumns(name: string): Pick<ProductTemplateTable, 'name_folded' | 'name_key'> {
  const name_folded = foldedName(name)
  return { name_folded, name_key: nameKey(name_folded) }
}

/** Folds a name or a part of one for case-insensitive comparison. */
export const foldedName = (name: string): string => storable(folded(name))

/** Code points of a name that are compared for its order. */
const keptOfName = 100

export const nameKey = (foldedName: string): string => [...foldedName].slice(0, keptOfName).join('')
