import { hash } from 'node:crypto'

/** SHA-256 of the bytes of `data`, hex. */
export const hashOf = (data: string): string => hash('sha256', data)

/** Formats a hash as clients see it, `sha256:<hex>`. */
export const formatHash = (hex: string): string => `sha256:${hex}`
