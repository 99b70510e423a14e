import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type webcrypto
} from 'node:crypto'

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** A private key that signs access tokens, with what others need to verify them. */
export interface SigningKey {
  /** The RFC 7638 thumbprint of the public key. */
  kid: string
  algorithm: SigningAlgorithm
  /** PKCS #8 and SPKI. */
  privatePem: string
  publicPem: string
  /** RFC 7517 §4, without any private member. */
  publicJwk: Record<string, string>
  /** RFC 7517 §4. */
  privateJwk: webcrypto.JsonWebKey
}

/** Bits, RFC 7518 §3.3. */
const shortestModulus = 2048

const generators: Record<SigningAlgorithm, () => { privateKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: shortestModulus }),
  EdDSA: () => generateKeyPairSync('ed25519')
}

export const generateSigningKey = (algorithm: SigningAlgorithm): SigningKey =>
  toSigningKey(generators[algorithm]().privateKey.export({ format: 'jwk' }))

/** A private JWK as a key. Throws RangeError for a key that none of our algorithms uses, or a short one. */
export function toSigningKey(jwk: webcrypto.JsonWebKey): SigningKey {
  const algorithm = algorithmOf(jwk)
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const { modulusLength = shortestModulus } = privateKey.asymmetricKeyDetails ?? {}
  if (modulusLength < shortestModulus) throw new RangeError('an RSA key has 2048 bits or more')
  const publicKey = createPublicKey(privateKey)
  const members = publicKey.export({ format: 'jwk' }) as Record<string, string>
  const kid = thumbprint(members)
  return {
    kid,
    algorithm,
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    publicJwk: { ...members, kid, use: 'sig', alg: algorithm },
    privateJwk: privateKey.export({ format: 'jwk' })
  }
}

function algorithmOf({ kty, crv }: webcrypto.JsonWebKey): SigningAlgorithm {
  if (kty === 'EC' && crv === 'P-256') return 'ES256'
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA'
  if (kty === 'RSA') return 'RS256'
  throw new RangeError('a signing key is an EC key on P-256, an RSA key or an Ed25519 key')
}

/** RFC 7638 §3: SHA-256 over the required members, in lexicographic order. */
function thumbprint({ crv, e, kty, n, x, y }: Record<string, string>): string {
  // JSON leaves out what this kind of key does not have.
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}
