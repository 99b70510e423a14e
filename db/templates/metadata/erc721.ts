import type { MetadataTrait } from './values.ts'

/**
 * Characters that the names of traits may take when the texts of lists become entries of their own. Without a limit, a
 * long name times a long list would be gigabytes.
 */
const longestExpansion = 2 ** 18

/** An entry of OpenSea's `attributes`. */
interface Attribute {
  trait_type: string
  display_type?: 'number'
  value: string | number
}

/** Makes a function that converts a trait to entries. Lists beyond the limit become one entry each, joined. */
export function makeAttributes(): (trait: MetadataTrait) => Attribute[] {
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
