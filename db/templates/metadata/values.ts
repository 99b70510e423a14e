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
