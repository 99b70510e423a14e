import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Generates a client secret, refresh token, authorization code or cookie: 256 random bits, RFC 6749 §10.10, as
 * `[A-Za-z0-9_-]`, which percent-encoding does not change.
 */
export const generateSecret = (): string => randomBytes(32).toString('base64url')

/** SHA-256, hex. The database has only hashes, and nothing that could be sent. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

const noSecret = hashSecret(generateSecret())

/**
 * Whether a secret has one of the two hashes, compared in constant time. The work is the same without a hash, and
 * whichever matches.
 */
export function matchesSecret(secret: string, current?: string, previous?: string | null): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex')
  const matches = [current, previous].map(stored =>
    timingSafeEqual(given, Buffer.from(stored ?? noSecret, 'hex'))
  )
  return matches.includes(true)
}

/** The S256 challenge of a verifier, RFC 7636 §4.2: 43 characters of base64url. */
export const challengePattern = /^[A-Za-z0-9_-]{43}$/

/** code-verifier, RFC 7636 §4.1. */
export const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether a verifier has the challenge, RFC 7636 §4.6. A malformed challenge matches nothing. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!challengePattern.test(challenge)) return false
  const computed = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge))
}
