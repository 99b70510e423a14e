import { chosenFields, columns, type TemplateValues } from '../../db/templates/table/columns.ts'

/** A field besides the document. */
export type ColumnName = Exclude<keyof TemplateValues, 'data'>

/** What people know a template by comes first in forms and comparisons. */
const first: ColumnName[] = ['name', 'publicProduct', 'componentName']
export const columnNames = [...new Set([...first, ...chosenFields])].filter(field => field !== 'data')

/**
 * Where a part of a template is: a column, a key of the document, the nth trait of a name, or the whole of `data`. An
 * entry of the attributes that is no trait has no name.
 */
export type Where = { column: ColumnName } | { key: string } | TraitPlace | 'data'
export interface TraitPlace {
  trait: string | undefined
  nth: number
}

/** A part of a template that can change on its own. */
export interface Part {
  label: string
  where: Where
  /** The value; the whole entry of a trait. */
  value: unknown
  /** The value as JSON, so that 7 and "7" differ. */
  text: string
}

/** Splits a template into parts, by label. Data that is no JSON object is one part. */
export function listParts(contents: TemplateValues): Map<string, Part> {
  const parts = new Map<string, Part>()
  const add = (name: string, where: Where, value: unknown, text = JSON.stringify(value)) => {
    // A trait may be called as a field is.
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
  add: (label: string, where: Where, value: unknown, text: string) => void
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

/** The name of a trait; undefined if the entry is none, as in the API. */
export function nameOf(entry: unknown): string | undefined {
  const { trait_type: name } = (entry ?? {}) as { trait_type?: unknown }
  return typeof name === 'string' ? name : undefined
}

/** The value of a trait; an entry that is none as a whole. */
function describe(entry: unknown): string {
  const value = nameOf(entry) === undefined ? entry : (entry as { value?: unknown }).value
  return value === undefined ? 'no value' : JSON.stringify(value)
}

export function parseObject(data: string): Record<string, unknown> | undefined {
  try {
    const found = JSON.parse(data)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : undefined
  } catch {
    return undefined
  }
}
