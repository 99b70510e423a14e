import { columns, editableFields, type TemplateValues } from '../../domain/columns.ts'
import { isTrait } from '../../domain/document.ts'
import { parseObject } from '../../runtime/json-values.ts'

/** A field besides `data`. */
export type ColumnName = Exclude<keyof TemplateValues, 'data'>

/** The fields that come first in forms and comparisons. */
const first: ColumnName[] = ['name', 'publicProduct', 'componentName']
export const columnNames = [...new Set([...first, ...editableFields])].filter(field => field !== 'data')

/**
 * The place of a part in a template: a column, a key of the document, the nth trait of a type, or the whole of `data`.
 * `trait` is undefined for an entry of `attributes` without a valid type.
 */
export type PartPath = { column: ColumnName } | { key: string } | TraitPlace | 'data'
export interface TraitPlace {
  trait: string | undefined
  nth: number
}

/** A part of a template that can change separately. */
export interface Part {
  label: string
  where: PartPath
  /** The value; for a trait, its whole entry. */
  value: unknown
  /** The value as JSON, so that 7 and "7" differ. */
  text: string
}

/** Splits a template into parts by label. Data that is not a JSON object is one part. */
export function listParts(contents: TemplateValues): Map<string, Part> {
  const parts = new Map<string, Part>()
  const add = (name: string, where: PartPath, value: unknown, text = JSON.stringify(value)) => {
    // A trait may have the label of a field.
    const label = parts.has(name) ? `${name} (trait)` : name
    parts.set(label, { label, where, value, text })
  }
  for (const column of columnNames) add(columns[column].label, { column }, contents[column])
  const document = parseObject(contents.data)
  if (!document) add(columns.data.label, 'data', contents.data)
  for (const [key, value] of Object.entries(document ?? {})) {
    if (key !== 'attributes' || !Array.isArray(value)) add(`document: ${key}`, { key }, value)
    else addTraits(value, add)
  }
  return parts
}

function addTraits(
  traits: unknown[],
  add: (label: string, where: PartPath, value: unknown, text: string) => void
): void {
  const seen = new Map<string | undefined, number>()
  for (const entry of traits) {
    const trait = nameOf(entry)
    const nth = seen.get(trait) ?? 0
    seen.set(trait, nth + 1)
    const label = trait ?? 'entry without a name'
    add(nth === 0 ? label : `${label} (${nth + 1})`, { trait, nth }, entry, describe(entry))
  }
}

/** Returns the type of a trait, as the API does; undefined if the entry is not a trait. */
export const nameOf = (entry: unknown): string | undefined => (isTrait(entry) ? entry.trait_type : undefined)

/** Formats the value of a trait, or the whole entry if it is not a trait. */
function describe(entry: unknown): string {
  const value = isTrait(entry) ? entry.value : entry
  return value === undefined ? 'no value' : JSON.stringify(value)
}
