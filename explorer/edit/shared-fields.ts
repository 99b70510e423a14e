import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { TemplateValues } from '../../domain/columns.ts'
import { documentKeys, type SharedField, sharedFields } from '../../domain/document.ts'
import { parseObject } from '../../runtime/json-values.ts'
import type { Draft } from './draft.ts'

export const isSharedField = (field: string): field is SharedField => Object.hasOwn(documentKeys, field)

/** Returns the value in the document; undefined if there is none. */
export const valueInDocument = (data: string, field: SharedField): unknown =>
  parseObject(data)?.[documentKeys[field]]

const findDifferent = (values: TemplateValues): SharedField[] =>
  sharedFields.filter(
    field => ![undefined, values[field]].includes(valueInDocument(values.data, field) as string)
  )

/**
 * Returns the fields that differ from the document, or have differed since the draft started. These are edited
 * separately.
 */
export const listUnlinked = (draft: Draft): SharedField[] => draft.unlinked ?? findDifferent(draft)

/** Records the fields that a change separated, so that typing the same value again does not link them. */
export const recordUnlinked = (before: Draft, after: Draft): Draft => ({
  ...after,
  unlinked: [...new Set([...(after.unlinked ?? listUnlinked(before)), ...findDifferent(after)])]
})

/** Changes a field, and its value in the document if both were the same. */
export function changeSharedField(draft: Draft, field: SharedField, value: string): Partial<Draft> {
  if (listUnlinked(draft).includes(field)) return { [field]: value }
  return { [field]: value, data: writeInDocument(draft, field, value) }
}

/** Sets the value in the document to that of the field, and links both again. */
export const relink = (draft: Draft, field: SharedField): Partial<Draft> => ({
  data: writeInDocument(draft, field, draft[field]),
  unlinked: listUnlinked(draft).filter(each => each !== field)
})

/**
 * Replaces the value of an existing key of the document. If the value is the initial one, restores its initial bytes.
 */
function writeInDocument({ data, base, copied }: Draft, field: SharedField, value: string): string {
  const place = findToken(data, field)
  if (!place) return data
  const initial = (base ?? copied)?.data ?? ''
  const isInitial = valueInDocument(initial, field) === value
  const token = (isInitial && findToken(initial, field)?.text) || JSON.stringify(value)
  const next = data.slice(0, place.offset) + token + data.slice(place.offset + place.length)
  // If a key occurs twice, this replaced the first, but JSON parsers use the last.
  return valueInDocument(next, field) === value ? next : data
}

function findToken(data: string, field: SharedField) {
  const root = parseTree(data)
  const node = root && findNodeAtLocation(root, [documentKeys[field]])
  return node && { ...node, text: data.slice(node.offset, node.offset + node.length) }
}
