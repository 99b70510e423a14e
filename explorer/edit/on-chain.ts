import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { parseObject } from '../template/parts.ts'
import type { Draft } from './draft.ts'

/** The fields that the document repeats, with their keys in it. The chain gets the document. */
export const chainKeys = { name: 'name', componentName: 'component' } as const
export type Shared = keyof typeof chainKeys
const shared = Object.keys(chainKeys) as Shared[]

export const isShared = (field: string): field is Shared => Object.hasOwn(chainKeys, field)

/** Returns the value in the document; undefined if there is none. */
export const valueOnChain = (data: string, field: Shared): unknown => parseObject(data)?.[chainKeys[field]]

const findApart = (values: TemplateValues): Shared[] =>
  shared.filter(field => ![undefined, values[field]].includes(valueOnChain(values.data, field) as string))

/**
 * Returns the fields that differ from the document, or have differed since the draft started. These are edited
 * separately.
 */
export const listApart = (draft: Draft): Shared[] => draft.apart ?? findApart(draft)

/** Records the fields that a change separated, so that typing the same value again does not link them. */
export const noteApart = (before: Draft, after: Draft): Draft => ({
  ...after,
  apart: [...new Set([...(after.apart ?? listApart(before)), ...findApart(after)])]
})

/** Changes a field, and its value in the document if both were the same. */
export function changeShared(draft: Draft, field: Shared, value: string): Partial<Draft> {
  if (listApart(draft).includes(field)) return { [field]: value }
  return { [field]: value, data: writeOnChain(draft, field, value) }
}

/** Sets the value in the document to that of the field, and links both again. */
export const reunite = (draft: Draft, field: Shared): Partial<Draft> => ({
  data: writeOnChain(draft, field, draft[field]),
  apart: listApart(draft).filter(each => each !== field)
})

/**
 * Replaces the value of an existing key of the document. If the value is the initial one, restores its initial bytes.
 */
function writeOnChain({ data, base, copied }: Draft, field: Shared, value: string): string {
  const place = findToken(data, field)
  if (!place) return data
  const begun = (base ?? copied)?.data ?? ''
  const isBegun = valueOnChain(begun, field) === value
  const token = (isBegun && findToken(begun, field)?.text) || JSON.stringify(value)
  const next = data.slice(0, place.offset) + token + data.slice(place.offset + place.length)
  // If a key occurs twice, this replaced the first, but JSON parsers use the last.
  return valueOnChain(next, field) === value ? next : data
}

function findToken(data: string, field: Shared) {
  const root = parseTree(data)
  const node = root && findNodeAtLocation(root, [chainKeys[field]])
  return node && { ...node, text: data.slice(node.offset, node.offset + node.length) }
}
