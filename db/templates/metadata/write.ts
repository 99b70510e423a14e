import { isObject, parseObject } from '../../../json-values.ts'
import { type RewriteLink, rewriteLinks } from './ipfs.ts'

/** `erc721`: EIP-721 with OpenSea's attributes; `erc1155`: EIP-1155 with properties. */
export const metadataFormats = ['erc721', 'erc1155'] as const

export interface MetadataOptions {
  format?: (typeof metadataFormats)[number] | undefined
  /** The URL of a gateway for IPFS links. */
  ipfsGateway?: string | undefined
}

/** A template, or a document alone. */
export interface MetadataSource {
  /** The name for a document without one. */
  name?: string
  data: string
}

/** A trait in metadata. Its value is a text, a list of texts or a number. */
interface MetadataTrait {
  type: string
  value: string | string[] | number
}

/** Writes metadata as JSON. A document that is not a JSON object counts as empty. */
export function writeMetadata(
  { name, data }: MetadataSource,
  { format = 'erc721', ipfsGateway }: MetadataOptions
): string {
  const rewrite = rewriteLinks(ipfsGateway)
  const document = parseObject(data) ?? {}
  const textOf = (key: string) => (typeof document[key] === 'string' && document[key]) || undefined
  const linkOf = (key: string) => rewrite(textOf(key) ?? '')
  const texts = { name: textOf('name') ?? name, description: textOf('description'), image: linkOf('image') }
  const external_url = linkOf('external_url')
  const entries = Array.isArray(document.attributes) ? document.attributes : []
  const traits = entries.flatMap(entry => toTrait(entry, rewrite) ?? [])
  if (format === 'erc721') return JSON.stringify({ ...texts, external_url, attributes: toAttributes(traits) })
  const members = [
    JSON.stringify(texts).slice(1, -1),
    `"properties":{${writeProperties(traits, external_url)}}`
  ]
  return `{${members.filter(text => text !== '')}}`
}

/**
 * Converts an entry of `attributes`. Booleans become texts, and links are rewritten. Returns undefined if the value is
 * absent, an empty text, a link without a content id, or of a type that metadata does not have.
 */
function toTrait(entry: unknown, rewrite: RewriteLink): MetadataTrait | undefined {
  if (!isObject(entry) || typeof entry.trait_type !== 'string') return undefined
  const value = toMetadataValue(entry.value, rewrite)
  return value === undefined ? undefined : { type: entry.trait_type, value }
}

function toMetadataValue(value: unknown, rewrite: RewriteLink): MetadataTrait['value'] | undefined {
  if (typeof value === 'string') return rewrite(value)
  if (typeof value === 'boolean') return String(value)
  // JSON has no infinity, but JSON.parse reads 1e999 as infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (!Array.isArray(value) || !value.every(element => typeof element === 'string')) return undefined
  const texts = value.map(rewrite).filter(text => text !== undefined)
  return texts.length === 0 ? undefined : texts
}

/**
 * Characters of the names of traits when each text of a list becomes an attribute. Without this limit, a long name times a
 * long list would take gigabytes.
 */
const longestExpansion = 2 ** 18

/** Converts traits to OpenSea's attributes. Beyond the limit, a list becomes one attribute with the joined texts. */
function toAttributes(traits: MetadataTrait[]): object[] {
  let left = longestExpansion
  return traits.flatMap(({ type: trait_type, value }): object[] => {
    if (typeof value === 'number') return [{ trait_type, display_type: 'number', value }]
    if (!Array.isArray(value)) return [{ trait_type, value }]
    const length = trait_type.length * value.length
    if (length > left) return [{ trait_type, value: value.join(', ') }]
    left -= length
    return value.map(text => ({ trait_type, value: text }))
  })
}

/** Writes a member for each type of trait. The values of a type that occurs several times become a list. */
function writeProperties(traits: MetadataTrait[], external_url: string | undefined): string[] {
  const types = Map.groupBy(traits, ({ type }) => type)
  const properties = Array.from(types, ([type, same]): [string, unknown] => {
    const values = same.map(({ value }) => value)
    return [type, values.length === 1 ? values[0] : values.flat()]
  })
  if (external_url !== undefined && !types.has('external_url'))
    properties.push(['external_url', external_url])
  // Not an object, which would not keep the order of keys such as "7".
  return properties.map(([type, value]) => `${JSON.stringify(type)}:${JSON.stringify(value)}`)
}
