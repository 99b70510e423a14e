import { isContent, removePrefix } from '../../domain/ipfs.ts'
import { isObject, parseObject } from '../../runtime/json-values.ts'

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

/** The keys with texts of EIP-721 and OpenSea, after `name`; those that are links. */
const links = ['image', 'external_url', 'animation_url']
const textKeys = ['name', 'description', ...links, 'image_data', 'youtube_url', 'background_color']

/** How OpenSea may show a number. */
export const displayTypes: unknown[] = ['number', 'boost_number', 'boost_percentage', 'date']

/** An entry of `attributes` in metadata. Its value is a text, a list of texts or a number. */
interface MetadataTrait {
  /** Absent for OpenSea's properties without a name, which have a text. */
  type: string | undefined
  value: string | string[] | number
  display_type: string | undefined
  max_value: number | undefined
}

/** Writes metadata as JSON. A document that is not a JSON object counts as empty. */
export function writeMetadata(
  { name, data }: MetadataSource,
  { format = 'erc721', ipfsGateway }: MetadataOptions
): string {
  const rewrite = rewriteLinks(ipfsGateway)
  const document = parseObject(data) ?? {}
  const { name: ownName, description, image, ...others } = readTexts(document, rewrite)
  const usual = { name: ownName ?? name, description, image }
  const entries = Array.isArray(document.attributes) ? document.attributes : []
  const traits = entries.flatMap(entry => toTrait(entry, rewrite) ?? [])
  if (format === 'erc721') return JSON.stringify({ ...usual, ...others, attributes: toAttributes(traits) })
  const known = { ...usual, decimals: toDecimals(document), localization: toLocalization(document) }
  const members = [JSON.stringify(known).slice(1, -1), `"properties":{${writeProperties(traits, others)}}`]
  return `{${members.filter(text => text !== '')}}`
}

const toDecimals = ({ decimals }: Record<string, unknown>): unknown =>
  Number.isSafeInteger(decimals) ? decimals : undefined

/** Converts the place of translations, EIP-1155. */
function toLocalization({ localization: given }: Record<string, unknown>): object | undefined {
  if (!isObject(given)) return undefined
  const { uri, default: usual, locales } = given
  const isKnown = typeof uri === 'string' && typeof usual === 'string' && Array.isArray(locales)
  return isKnown && locales.every(locale => typeof locale === 'string')
    ? { uri, default: usual, locales }
    : undefined
}

/** Rewrites a text if it is a link. Returns undefined for an empty text, and for a link without a content id. */
type RewriteLink = (text: string) => string | undefined

/** Makes a function that rewrites IPFS links to links of a gateway. Without a gateway, they stay the same. */
export function rewriteLinks(gateway: string | undefined): RewriteLink {
  const base = gateway?.replace(/\/+$/, '')
  return text => {
    const rest = text === '' ? '' : removePrefix(text)
    if (rest === '') return undefined
    return base !== undefined && rest !== undefined && isContent(rest) ? `${base}/${rest}` : text
  }
}

/** Reads the texts that metadata has. Links are rewritten. */
export const readTexts = (
  document: Record<string, unknown>,
  rewrite: RewriteLink
): Record<string, string | undefined> =>
  Object.fromEntries(
    textKeys.map(key => {
      const text = (typeof document[key] === 'string' && document[key]) || undefined
      return [key, text !== undefined && links.includes(key) ? rewrite(text) : text]
    })
  )

/**
 * Converts an entry of `attributes`. Booleans become texts, and links are rewritten. Returns undefined if the value is
 * absent, an empty text, a link without a content id, or of a type that metadata does not have.
 */
export function toTrait(entry: unknown, rewrite: RewriteLink): MetadataTrait | undefined {
  if (!isObject(entry)) return undefined
  const { display_type, max_value } = entry
  const type = entry.trait_type ?? undefined
  const value = toMetadataValue(entry.value, rewrite)
  const isKnown = typeof type === 'string' || (type === undefined && typeof entry.value === 'string')
  if (value === undefined || !isKnown) return undefined
  return {
    type,
    value,
    display_type: displayTypes.includes(display_type) ? (display_type as string) : undefined,
    max_value: Number.isFinite(max_value) ? (max_value as number) : undefined
  }
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
 * Characters of the names of traits when each text of a list becomes an attribute. Without this limit, a long name
 * times a long list would take gigabytes.
 */
const longestExpansion = 2 ** 18

/** Converts traits to OpenSea's attributes. Beyond the limit, a list becomes one attribute with the joined texts. */
function toAttributes(traits: MetadataTrait[]): object[] {
  let left = longestExpansion
  return traits.flatMap(({ type: trait_type, value, display_type: given, max_value }): object[] => {
    // A number with a maximum and without a type is a level.
    const display_type =
      given ?? (typeof value === 'number' && max_value === undefined ? 'number' : undefined)
    if (!Array.isArray(value)) return [{ trait_type, display_type, value, max_value }]
    const length = (trait_type?.length ?? 0) * value.length
    if (length > left) return [{ trait_type, value: value.join(', ') }]
    left -= length
    return value.map(text => ({ trait_type, value: text }))
  })
}

/**
 * Writes a member for each type of trait, and those of `others` whose name no type has. The values of a type that
 * occurs several times become a list. Traits without a type have no place.
 */
function writeProperties(traits: MetadataTrait[], others: Record<string, string | undefined>): string[] {
  const types = Map.groupBy(
    traits.filter(({ type }) => type !== undefined),
    ({ type }) => type
  )
  const properties = Array.from(types, ([type, same]): [string | undefined, unknown] => {
    const values = same.map(({ value }) => value)
    return [type, values.length === 1 ? values[0] : values.flat()]
  })
  for (const [key, text] of Object.entries(others))
    if (text !== undefined && !types.has(key)) properties.push([key, text])
  // An object would not keep the order of keys such as "7".
  return properties.map(([type, value]) => `${JSON.stringify(type)}:${JSON.stringify(value)}`)
}
