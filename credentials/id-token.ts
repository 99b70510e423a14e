import { createHash } from 'node:crypto'
import type { SigningAlgorithm } from './signing-key.ts'

/** What an ID token says of a login. */
export interface LoginFacts {
  /** As in the authorization request; null if it had none. */
  nonce: string | null
  /** When the user logged in, in the form of the database; null if unknown. */
  time: string | null
}

/** What an ID token is made from. */
export interface IdTokenRequest extends LoginFacts {
  sub: string
  clientId: string
  /** The access token that is issued with it. */
  accessToken: string
}

/** Seconds. A client reads an ID token when it gets it. */
const lifetime = 600

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
    exp: iat + lifetime,
    ...(time !== null && { auth_time: Math.floor(Date.parse(time) / 1000) }),
    ...(nonce !== null && { nonce }),
    at_hash: hashOfToken(accessToken, algorithm)
  }
}

/** The left half of a hash by the algorithm of the signature, OpenID Connect Core 1.0 §3.1.3.6. Ed25519 uses SHA-512. */
function hashOfToken(accessToken: string, algorithm: SigningAlgorithm): string {
  const hash = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken)
    .digest()
  return hash.subarray(0, hash.length / 2).toString('base64url')
}
