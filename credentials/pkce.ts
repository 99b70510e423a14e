import { createHash, timingSafeEqual } from 'node:crypto'

/** The S256 challenge of a verifier, RFC 7636 §4.2: 43 characters of base64url. */
export const challengePattern = /^[A-Za-z0-9_-]{43}$/

/** code-verifier, RFC 7636 §4.1. */
export const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether a verifier has the challenge, RFC 7636 §4.6. Nothing has a challenge that is not one. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!challengePattern.test(challenge)) return false
  const computed = createHash('sha256').update(verifier).digest('base64url')
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge))
}
