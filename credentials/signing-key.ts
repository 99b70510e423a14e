import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type webcrypto
} from 'node:crypto'
import type { SigningKey } from '../db/repositories/signing-keys.ts'

/** A new key pair for ES256, RFC 7518 §3.4. */
export function generateSigningKey(): SigningKey {
  const privateJwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  return { id: thumbprint(privateJwk), algorithm: 'ES256', privateJwk }
}

/** The key pair as PEM, PKCS #8 and SPKI. */
export function toPem({ privateJwk }: SigningKey): { private: string; public: string } {
  const privateKey = createPrivateKey({ key: privateJwk, format: 'jwk' })
  return {
    private: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    public: createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
  }
}

/** The public half as a JWK, RFC 7517 §4. */
export function toPublicJwk({
  id,
  algorithm,
  privateJwk: { crv, kty, x, y }
}: SigningKey): webcrypto.JsonWebKey & { kid: string } {
  return { kty, kid: id, use: 'sig', alg: algorithm, crv, x, y } as webcrypto.JsonWebKey & { kid: string }
}

/** RFC 7638 §3: SHA-256 over the required members, in lexicographic order. */
function thumbprint({ crv, kty, x, y }: webcrypto.JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}
