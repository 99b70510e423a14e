import { chosenFields, columns, type TemplateValues } from '../../db/templates/table/columns.ts'

/** A field besides the document. */
export type Column = Exclude<keyof TemplateValues, 'data'>

/** What people know a template by comes first in forms and comparisons. */
const first: Column[] = ['name', 'publicProduct', 'componentName']
export const columnNames = [...new Set([...first, ...chosenFields])].filter(field => field !== 'data')

/** Where a part of a template is: a column, a key of the document, the nth trait of a name, or the whole of `data`. */
export type Where = { column: Column } | { key: string } | { trait: string; nth: number } | 'data'

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
  const add = (label: string, where: Where, value: unknown, text = JSON.stringify(value)) =>
    parts.set(label, { label, where, value, text })
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
  const seen = new Map<string, number>()
  for (const entry of traits) {
    const { trait_type, value } = (entry ?? {}) as { trait_type?: unknown; value?: unknown }
    const trait = String(trait_type)
    const nth = seen.get(trait) ?? 0
    seen.set(trait, nth + 1)
    const text = value === undefined ? 'no value' : JSON.stringify(value)
    add(nth === 0 ? trait : `${trait} (${nth + 1})`, { trait, nth }, entry, text)
  }
}

export function parseObject(data: string): Record<string, unknown> | undefined {
  try {
    const found = JSON.parse(data)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : undefined
  } catch {
    return undefined
  }
}
