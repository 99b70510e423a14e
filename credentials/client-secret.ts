import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates 256 random bits as `[A-Za-z0-9_-]`, which percent-encoding does not change. */
export const generateClientSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex. */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = randomBytes(32).toString('hex')

/** Compares digests in constant time. Without a stored hash it does the same work and returns false. */
export function matchesClientSecret(secret: string, secretHash: string | undefined): boolean {
  const given = Buffer.from(hashClientSecret(secret), 'hex')
  return timingSafeEqual(given, Buffer.from(secretHash ?? noSecret, 'hex')) && secretHash !== undefined
}
