import { hash } from 'node:crypto'
import { isObject, parseObject } from '../runtime/json-values.ts'

/** A JSON value of a document. The contract has strings, integers, booleans and lists of strings. */
export type DocumentValue = unknown

export type ValueType = 'STRING' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'ABSENT' | 'OTHER'

/** An entry of `attributes`: an NFT-like trait. */
export interface Trait {
  traitType: string
  /** undefined if absent. */
  value: DocumentValue
  valueType: ValueType
  /** The value formatted for display. */
  text: string
}

/** The document of a template. A field is null if its key is absent or has a value of another type. */
export interface ProductDocument {
  productId: string | number | null
  description: string | null
  externalUrl: string | null
  image: string | null
  name: string | null
  component: string | null
  attributes: Trait[]
}

/** The fields that the document repeats, with their keys in it. The chain gets the document. */
export const documentKeys = { name: 'name', componentName: 'component' } as const
export type SharedField = keyof typeof documentKeys
export const sharedFields = Object.keys(documentKeys) as SharedField[]

/** Parses `data`; null if it is not a JSON object. Entries of `attributes` without a `trait_type` are omitted. */
export function parseDocument(data: string): ProductDocument | null {
  const parsed = parseObject(data)
  if (!parsed) return null
  const { productId, attributes } = parsed
  return {
    productId:
      typeof productId === 'string' || Number.isSafeInteger(productId) ? (productId as string) : null,
    description: textOf(parsed.description),
    externalUrl: textOf(parsed.external_url),
    image: textOf(parsed.image),
    name: textOf(parsed.name),
    component: textOf(parsed.component),
    attributes: Array.isArray(attributes) ? attributes.filter(isTrait).map(toTrait) : []
  }
}

/** The document of a new template, with the keys that documents usually have. */
export const emptyDocument = (name: unknown = '', component: unknown = '') => ({
  productId: '',
  name,
  description: '',
  external_url: '',
  image: '',
  component,
  attributes: [] as unknown[]
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Whether an entry of `attributes` is a trait. */
export const isTrait = (entry: unknown): entry is { trait_type: string; value?: unknown } =>
  isObject(entry) && typeof entry.trait_type === 'string'

function toTrait({ trait_type: traitType, value: rawValue }: { trait_type: string; value?: unknown }): Trait {
  const value = isDeep(rawValue) ? null : rawValue
  const valueType = typeOf(value)
  return { traitType, value, valueType, text: displayed(value, valueType) }
}

/** Whether a value is nested too deeply: serializing it again could overflow the stack. */
const isDeep = (value: unknown, levels = 100): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some(inner => isDeep(inner, levels - 1)))

export function typeOf(value: unknown): ValueType {
  if (value === undefined) return 'ABSENT'
  if (typeof value === 'string') return 'STRING'
  if (typeof value === 'boolean') return 'BOOLEAN'
  if (Number.isSafeInteger(value)) return 'INTEGER'
  return Array.isArray(value) && value.every(element => typeof element === 'string') ? 'ARRAY' : 'OTHER'
}

function displayed(value: unknown, type: ValueType): string {
  if (type === 'ABSENT') return ''
  if (type === 'ARRAY') return (value as string[]).join(', ')
  return type === 'OTHER' ? JSON.stringify(value) : String(value)
}

/**
 * Whether filters compare a displayed value as a number: an integer of at most 16 digits, as safe integers have, or a
 * text of at most 15 characters, with a point, or with a comma before one or two decimals.
 */
export const isNumber = (text: string): boolean =>
  /^(?=.{1,15}$|-?\d{1,16}$)-?\d+(\.\d+|,\d{1,2})?$/.test(text)

/** The date that a text is, or begins with before a time: `2026-03-01`, `2026-03-01T22:00+01:00`. */
export const dateIn = (text: string): string | undefined => /^(\d{4}-\d\d-\d\d)(?:T|$)/.exec(text)?.[1]

/** SHA-256 of the bytes of `data`, hex. */
export const hashData = (data: string): string => hash('sha256', data)

/**
 * Reads a hash, or its first 8 or more digits, with or without `sha256:` in front. Returns hex in lower case; undefined
 * for any other text.
 */
export const parseHash = (text: string): string | undefined =>
  /^(?:sha256:)?([0-9a-f]{8,64})$/i.exec(text)?.[1]?.toLowerCase()

/** Formats a hash as clients see it, `sha256:<hex>`. */
export const formatHash = (hex: string): string => `sha256:${hex}`
