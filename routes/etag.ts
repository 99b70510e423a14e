import { createHash } from 'node:crypto'
import { takeTurn } from '../db/templates/meter.ts'

/** Computes a strong ETag from the bytes and their media type, RFC 9110 §8.8.1. */
export async function computeETag(type: string, body: Buffer[]): Promise<string> {
  const hash = createHash('sha256').update(`${type}\n`)
  for (const bytes of body) {
    hash.update(bytes)
    await takeTurn()
  }
  return `"${hash.digest('base64url')}"`
}

/** Whether If-None-Match contains the ETag, RFC 9110 §13.1.2. */
export const isKnown = (etag: string, header: string | undefined): boolean =>
  header?.trim() === '*' || (header?.match(/"[^"]*"/g)?.includes(etag) ?? false)
