import { engineOf } from '../dialects/engine.ts'
import type { Db, ProductTemplateTable, TraitTable } from '../schema.ts'
import { parseDocument, type Trait } from './document.ts'
import { folded, searchTerms } from './search-terms.ts'
import { elementKey, storable, typeKey, valueKey } from './trait-key.ts'

/** Traits per insert. Each has six parameters; SQLite allows 32,766. */
const batchSize = 2000

type Indexed = Pick<ProductTemplateTable, 'id' | 'name' | 'name_folded' | 'data'>

/** Indexes stored templates by name, traits and words. */
export async function indexTemplates(db: Db, templates: Indexed[]): Promise<void> {
  const documents = templates.map(({ data, ...row }) => ({ ...row, document: parseDocument(data) }))
  const traits = documents.flatMap(({ id, document }) => document?.attributes.flatMap(rowsOf(id)) ?? [])
  for (let start = 0; start < traits.length; start += batchSize) {
    await db
      .insertInto('product_trait')
      .values(traits.slice(start, start + batchSize))
      .execute()
  }
  await engineOf(db).search.insert(
    db,
    documents.map(({ id, name, name_folded, document }) => ({
      id,
      foldedName: name_folded,
      traitTexts: document?.attributes.flatMap(textOf) ?? [],
      terms: searchTerms(
        name,
        document?.description ?? '',
        ...(document?.attributes.map(({ text }) => text) ?? [])
      )
    }))
  )
}

/** Makes a row for the entry, and one for each element of a list. */
const rowsOf =
  (template_id: number) =>
  ({ traitType, value, valueType, text }: Trait, position: number): TraitTable[] => {
    const entry = { type: typeKey(traitType), template_id, position }
    // Facets count the elements of a list, and an absent value has no text.
    const shown = valueType === 'ARRAY' || valueType === 'ABSENT' ? null : storable(text)
    const whole = { ...entry, element: -1, key: valueKey(value), value: shown }
    const elements = valueType === 'ARRAY' ? (value as string[]) : []
    return [
      whole,
      ...elements.map((each, element) => ({
        ...entry,
        element,
        key: elementKey(each),
        value: storable(each)
      }))
    ]
  }

const textOf = ({ valueType, text }: Trait): string[] => (valueType === 'STRING' ? [storable(text)] : [])

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
