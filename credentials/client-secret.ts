import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates 256 random bits as `[A-Za-z0-9_-]`, which percent-encoding does not change. */
export const generateClientSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex. */
export const hashClientSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = randomBytes(32).toString('hex')

/**
 * Whether a secret has one of the two hashes, compared in constant time. The work is the same without a hash, and
 * whichever matches.
 */
export function matchesClientSecret(secret: string, current: string | undefined, previous?: string): boolean {
  const given = Buffer.from(hashClientSecret(secret), 'hex')
  const [isCurrent, isPrevious] = [current, previous].map(
    stored => timingSafeEqual(given, Buffer.from(stored ?? noSecret, 'hex')) && stored !== undefined
  )
  return isCurrent === true || isPrevious === true
}
