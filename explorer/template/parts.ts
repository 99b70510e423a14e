import { columns, editableFields, type TemplateValues } from '../../domain/columns.ts'
import { documentKeys, emptyDocument, isTrait, sharedFields } from '../../domain/document.ts'
import { parseObject } from '../../runtime/json-values.ts'
import { upperFirst } from '../edit/problem.ts'
import { formatText, humanName } from '../format.ts'

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

const noValue = 'no value'

/** Splits a template into parts by label. Data that is not a JSON object is one part. */
export function listParts(contents: TemplateValues): Map<string, Part> {
  const parts = new Map<string, Part>()
  const add = (name: string, where: PartPath, value: unknown, text = JSON.stringify(value)) => {
    const isReserved =
      parts.has(name) || (typeof where === 'object' && 'trait' in where && ofFields.has(name))
    const label = isReserved ? `${name} (trait)` : name
    parts.set(label, { label, where, value, text })
  }
  for (const column of columnNames) add(columns[column].label, { column }, contents[column])
  const document = parseObject(contents.data)
  if (!document) add(columns.data.label, 'data', contents.data)
  const isTraits = (key: string, value: unknown) => key === 'attributes' && Array.isArray(value)
  for (const [key, value] of Object.entries(document ?? {}))
    if (!isTraits(key, value)) add(labelOf(key), { key }, value)
  if (Array.isArray(document?.attributes)) addTraits(document.attributes, add)
  return parts
}

/** Returns the label of the copy of a field in the document. */
export const copyOf = (label: string): string => `${label} on the chain`

/** The labels of fields by those of their copies. */
const copies = new Map(sharedFields.map(field => [copyOf(columns[field].label), columns[field].label]))

function labelOf(key: string): string {
  const field = sharedFields.find(field => documentKeys[field] === key)
  if (field) return copyOf(columns[field].label)
  return Object.hasOwn(emptyDocument(), key) ? upperFirst(humanName(key)) : `document: ${key}`
}

/** The labels of fields, which traits may have, too. */
const ofFields = new Set([
  ...columnNames.map(name => columns[name].label),
  ...Object.keys(emptyDocument()).map(labelOf)
])

/** Whether the part is a copy with the text of its field in each of the templates. People see both as one. */
export const isCopy = (label: string, ...templates: Map<string, Part>[]): boolean =>
  copies.has(label) &&
  templates.every(parts => parts.get(label)?.text === parts.get(copies.get(label) ?? '')?.text)

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
  return value === undefined ? noValue : JSON.stringify(value)
}

/** Writes values of one part for people; as JSON if different ones would look the same. */
export function showParts(...parts: (Part | undefined)[]): (string | undefined)[] {
  const texts = parts.map(part => part?.text)
  const shown = texts.map(text => text && show(text))
  const looks = shown.map(text => text?.replaceAll(/\s+/g, ' ').trim())
  return new Set(looks).size === new Set(texts).size ? shown : texts
}

function show(text: string): string {
  const value: unknown = text === noValue ? text : JSON.parse(text)
  if (typeof value === 'string') return formatText(value) || 'empty text'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return isTexts(value) ? value.join(' · ') || 'empty list' : formatText(text)
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')
