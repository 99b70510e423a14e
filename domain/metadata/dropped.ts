import { isObject, parseObject } from '../../runtime/json-values.ts'
import { rewriteLinks } from './ipfs.ts'
import { displayTypes, readTexts, toTrait } from './write.ts'

const rewrite = rewriteLinks(undefined)

/**
 * Lists the keys of a document that its metadata in the format `erc721` does not have, also keys of entries, such as
 * `attributes.note`. Empty values count as absent.
 */
export function listDropped(data: string): string[] {
  const document = parseObject(data) ?? {}
  const { attributes } = document
  const entries = Array.isArray(attributes) ? attributes : []
  const texts = readTexts(document, rewrite)
  const isKept = (key: string) => texts[key] !== undefined || (key === 'attributes' && attributes === entries)
  const keys = Object.entries(document).filter(([key, value]) => !isEmpty(value) && !isKept(key))
  return [...keys.map(([key]) => key), ...entries.flatMap(listDroppedOf)]
}

function listDroppedOf(entry: unknown): string[] {
  const trait = toTrait(entry, rewrite)
  if (!isObject(entry) || !trait) return isObject(entry) && isEmpty(entry.value) ? [] : ['attributes']
  const isKept = (key: string, value: unknown) =>
    (key === 'display_type' && displayTypes.includes(value)) ||
    (key === 'max_value' && trait.max_value !== undefined) ||
    key === 'trait_type' ||
    key === 'value'
  return Object.entries(entry)
    .filter(([key, value]) => !isEmpty(value) && !isKept(key, value))
    .map(([key]) => `attributes.${key}`)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
