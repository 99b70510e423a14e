import { hash } from 'node:crypto'
import type { SigningAlgorithm } from './signing-key.ts'

/** The facts about a login in an ID token. */
export interface LoginFacts {
  /** The `nonce` of the authorization request; null if it had none. */
  nonce: string | null
  /** The time of the login, in the form of the database. */
  time: string
}

/** The contents of a new ID token. */
export interface IdTokenRequest extends LoginFacts {
  sub: string
  clientId: string
  /** The access token that is issued with it. */
  accessToken: string
}

/** Seconds until an ID token expires. A client reads it immediately. */
const lifetimeSeconds = 600

/** Makes the claims of an ID token, OpenID Connect Core 1.0 §2. */
export function makeIdToken(
  { sub, clientId, accessToken, nonce, time }: IdTokenRequest,
  iss: string,
  algorithm: SigningAlgorithm
) {
  const iat = Math.floor(Date.now() / 1000)
  return {
    iss,
    sub,
    aud: clientId,
    iat,
    exp: iat + lifetimeSeconds,
    auth_time: Math.floor(Date.parse(time) / 1000),
    ...(nonce !== null && { nonce }),
    at_hash: hashOfToken(accessToken, algorithm)
  }
}

/** Returns the left half of a hash, OpenID Connect Core 1.0 §3.1.3.6. Ed25519 uses SHA-512. */
function hashOfToken(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
