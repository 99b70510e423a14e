import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import type { TemplateValues } from '../../db/templates/table/columns.ts'
import { parseObject } from '../template/parts.ts'
import type { Draft } from './draft.ts'

/** The fields that the document has, too, and its keys for them. The chain gets the document. */
export const chainKeys = { name: 'name', componentName: 'component' } as const
export type Shared = keyof typeof chainKeys
const shared = Object.keys(chainKeys) as Shared[]

export const isShared = (field: string): field is Shared => Object.hasOwn(chainKeys, field)

/** What the document says; undefined if it says nothing. */
export const valueOnChain = (data: string, field: Shared): unknown => parseObject(data)?.[chainKeys[field]]

const findApart = (values: TemplateValues): Shared[] =>
  shared.filter(field => ![undefined, values[field]].includes(valueOnChain(values.data, field) as string))

/** The fields that differ on the chain, or did since the draft was begun: a change of one leaves the other as it is. */
export const listApart = (draft: Draft): Shared[] => draft.apart ?? findApart(draft)

/** Notes which fields have come apart by a change, so that they do not meet again while one types. */
export const noteApart = (before: Draft, after: Draft): Draft => ({
  ...after,
  apart: [...new Set([...(after.apart ?? listApart(before)), ...findApart(after)])]
})

/** Changes a field, and the document if it had the same value. */
export function changeShared(draft: Draft, field: Shared, value: string): Partial<Draft> {
  if (listApart(draft).includes(field)) return { [field]: value }
  return { [field]: value, data: writeOnChain(draft, field, value) }
}

/** Gives the document the value of the template again. */
export const reunite = (draft: Draft, field: Shared): Partial<Draft> => ({
  data: writeOnChain(draft, field, draft[field]),
  apart: listApart(draft).filter(each => each !== field)
})

/** Writes the value of a key that the document has. The value that the draft began with gets the bytes that it had. */
function writeOnChain({ data, base, copied }: Draft, field: Shared, value: string): string {
  const place = findToken(data, field)
  if (!place) return data
  const begun = (base ?? copied)?.data ?? ''
  const isBegun = valueOnChain(begun, field) === value
  const token = (isBegun && findToken(begun, field)?.text) || JSON.stringify(value)
  const next = data.slice(0, place.offset) + token + data.slice(place.offset + place.length)
  // Of a key that occurs twice, the first was found, but the last counts.
  return valueOnChain(next, field) === value ? next : data
}

function findToken(data: string, field: Shared) {
  const root = parseTree(data)
  const node = root && findNodeAtLocation(root, [chainKeys[field]])
  return node && { ...node, text: data.slice(node.offset, node.offset + node.length) }
}
