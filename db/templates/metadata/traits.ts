import type { RewriteLink } from './ipfs.ts'

/** A trait in metadata: texts without those that are empty, or a number. */
export interface MetadataTrait {
  type: string
  value: string | string[] | number
}

/**
 * Converts an entry of `attributes`. Booleans become text; links are rewritten. undefined if it has no value: the value
 * is absent, an empty text, a link without a content id, or of a type that metadata does not have.
 */
export function toMetadataTrait(entry: unknown, rewrite: RewriteLink): MetadataTrait | undefined {
  const { trait_type: type, value: given } = (entry ?? {}) as { trait_type?: unknown; value?: unknown }
  if (typeof type !== 'string') return undefined
  const value = toMetadataValue(given, rewrite)
  return value === undefined ? undefined : { type, value }
}

function toMetadataValue(value: unknown, rewrite: RewriteLink): MetadataTrait['value'] | undefined {
  if (typeof value === 'string') return rewrite(value)
  if (typeof value === 'boolean') return String(value)
  // JSON has no infinity, but a stored 1e999 is read as one.
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (!Array.isArray(value) || !value.every(element => typeof element === 'string')) return undefined
  const texts = value.map(rewrite).filter(text => text !== undefined)
  return texts.length === 0 ? undefined : texts
}

/**
 * Characters that the names of traits may take when the texts of lists become attributes of their own. Without a limit,
 * a long name times a long list would be gigabytes.
 */
const longestExpansion = 2 ** 18

/** Makes a function that converts a trait to OpenSea's attributes. Lists beyond the limit become one each, joined. */
export function makeAttributes(): (trait: MetadataTrait) => object[] {
  let left = longestExpansion
  return ({ type: trait_type, value }) => {
    if (typeof value === 'number') return [{ trait_type, display_type: 'number', value }]
    if (!Array.isArray(value)) return [{ trait_type, value }]
    const length = trait_type.length * value.length
    if (length > left) return [{ trait_type, value: value.join(', ') }]
    left -= length
    return value.map(text => ({ trait_type, value: text }))
  }
}
