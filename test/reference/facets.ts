import { toStorable } from '../../db/templates/filter/keys.ts'
import type { ProductTemplate } from '../../domain/columns.ts'
import { parseDocument, type ValueType } from '../../domain/document.ts'

interface Value {
  text: string
  value: unknown
  valueType: ValueType
}

/** What `traits` means: the values of each trait, with the number of templates that have them. */
export function listFacets(templates: ProductTemplate[], types: string[] | null | undefined, first: number) {
  const counts = new Map<string, Map<string, Value & { count: number }>>()
  for (const { data } of templates)
    for (const [type, values] of valuesByTrait(data))
      for (const [key, value] of values) {
        const ofType = counts.get(type) ?? new Map()
        counts.set(type, ofType)
        ofType.set(key, { ...value, count: (ofType.get(key)?.count ?? 0) + 1 })
      }
  return [...counts]
    .filter(([type]) => types?.includes(type) ?? true)
    .sort(([one], [other]) => byCodePoints(one, other))
    .map(([type, values]) => ({
      type,
      numbers: listNumbers(templates, type),
      values: [...values]
        .sort(
          ([key, one], [otherKey, other]) =>
            other.count - one.count || byCodePoints(one.text, other.text) || byCodePoints(key, otherKey)
        )
        .slice(0, first)
        .map(([, value]) => value)
    }))
}

const fields = {
  COMPONENT_NAME: ({ componentName }: ProductTemplate) => componentName,
  BLOCKCHAIN_ID: ({ blockchainId }: ProductTemplate) => blockchainId,
  PUBLIC_PRODUCT: ({ publicProduct }: ProductTemplate) => publicProduct
}

/** What `facets` means. */
export const listFieldFacets = (
  templates: ProductTemplate[],
  names: (keyof typeof fields)[],
  first: number
) =>
  [...new Set(names)].map(field => ({
    field,
    values: [...Map.groupBy<unknown, ProductTemplate>(templates, fields[field])]
      .map(([value, those]) => ({ value, count: those.length }))
      .sort((one, other) => other.count - one.count || byValue(one.value, other.value))
      .slice(0, first)
  }))

const byValue = (one: unknown, other: unknown): number =>
  typeof one === 'string' ? byCodePoints(one, String(other)) : Number(one) - Number(other)

/** The number that a text is. */
export const numberIn = (text: string): number | undefined =>
  (text.length <= 15 && /^-?\d+(\.\d+|,\d{1,2})?$/.test(text)) || /^-?\d{1,16}$/.test(text)
    ? Number(text.replace(',', '.'))
    : undefined

/** The date that a text is, or that stands before the `T` of a time. */
export function dateIn(value: unknown): string | undefined {
  const [before = ''] = typeof value === 'string' ? value.split('T') : []
  return /^[0-9]{4}(-[0-9]{2}){2}$/.test(before) ? before : undefined
}

/** Ten ranges from the least to the greatest number of a trait, with the number of templates that have one in each. */
function listNumbers(templates: ProductTemplate[], type: string) {
  const ofEach = templates.map(({ data }) =>
    [...(valuesByTrait(data).get(type)?.values() ?? [])]
      .map(({ text }) => numberIn(text))
      .filter(number => number !== undefined)
  )
  const all = ofEach.flat()
  if (all.length === 0) return []
  const [least, greatest] = [Math.min(...all), Math.max(...all)]
  const ranges = least === greatest ? 1 : 10
  const start = (at: number) => (at === ranges ? greatest : least + at * ((greatest - least) / 10))
  return Array.from({ length: ranges }, (_, at) => ({
    from: start(at),
    to: start(at + 1),
    count: ofEach.filter(numbers =>
      numbers.some(number => number >= start(at) && (at === ranges - 1 || number < start(at + 1)))
    ).length
  }))
}

/** The different values of each trait of a document. An element of a list is a value, the list is none. */
export function valuesByTrait(data: string): Map<string, Map<string, Value>> {
  const traits = new Map<string, Map<string, Value>>()
  for (const { traitType, value, valueType } of parseDocument(data)?.attributes ?? []) {
    if (valueType === 'ABSENT') continue
    const values = valueType === 'ARRAY' ? (value as string[]) : [value]
    const found = traits.get(toStorable(traitType)) ?? new Map()
    for (const each of values) {
      const shown = typeof each === 'string' ? toStorable(each) : each
      const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
      // Values of equal texts are in the order of the names of their types; an element of a list is one of its own.
      const kind = valueType === 'ARRAY' ? 'ELEMENT' : valueType
      found.set(`${kind} ${text}`, { text, value: shown, valueType })
    }
    if (found.size > 0) traits.set(toStorable(traitType), found)
  }
  return traits
}

export const byCodePoints = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))
