import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as `[A-Za-z0-9_-]`: the same with and without percent-encoding. */
export const generateClientSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex. */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = randomBytes(32).toString('hex')

/** Constant-time comparison of digests; without a stored hash, the same work and false. */
export function matchesClientSecret(secret: string, secretHash: string | undefined): boolean {
  const given = Buffer.from(hashClientSecret(secret), 'hex')
  return timingSafeEqual(given, Buffer.from(secretHash ?? noSecret, 'hex')) && secretHash !== undefined
}
