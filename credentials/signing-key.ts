import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type webcrypto
} from 'node:crypto'

/** Seconds that clients may cache the JWK set. A key is published this long before it signs. */
export const jwksMaxAge = 300

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** A private key that signs access tokens, and the public key that verifies them. */
export type SigningKey = ReturnType<typeof toSigningKey>

/** Bits, RFC 7518 §3.3. */
const minModulusLength = 2048

const generators: Record<SigningAlgorithm, () => { privateKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: minModulusLength }),
  EdDSA: () => generateKeyPairSync('ed25519')
}

/** Generates a key whose `kid` does not start with "-", which a command line would read as an option. */
export function generateSigningKey(algorithm: SigningAlgorithm): SigningKey {
  const key = toSigningKey(generators[algorithm]().privateKey.export({ format: 'jwk' }))
  return key.kid.startsWith('-') ? generateSigningKey(algorithm) : key
}

/** Converts a private JWK. Throws RangeError if no supported algorithm uses the key, or if it is too short. */
export function toSigningKey(jwk: webcrypto.JsonWebKey) {
  const algorithm = algorithmOf(jwk)
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const { modulusLength = minModulusLength } = privateKey.asymmetricKeyDetails ?? {}
  if (modulusLength < minModulusLength) throw new RangeError('an RSA key must have at least 2048 bits')
  const publicKey = createPublicKey(privateKey)
  const members = publicKey.export({ format: 'jwk' }) as Record<string, string>
  const kid = computeThumbprint(members)
  return {
    /** The RFC 7638 thumbprint of the public key. */
    kid,
    algorithm,
    /** PKCS #8 and SPKI. */
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    /** RFC 7517 §4, without any private member. */
    publicJwk: { ...members, kid, use: 'sig', alg: algorithm } as Record<string, string>,
    privateJwk: privateKey.export({ format: 'jwk' })
  }
}

function algorithmOf({ kty, crv }: webcrypto.JsonWebKey): SigningAlgorithm {
  if (kty === 'EC' && crv === 'P-256') return 'ES256'
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA'
  if (kty === 'RSA') return 'RS256'
  throw new RangeError('a signing key must be an EC key on P-256, an RSA key or an Ed25519 key')
}

/** Computes the thumbprint, RFC 7638 §3: SHA-256 of the required members in lexicographic order. */
function computeThumbprint({ crv, e, kty, n, x, y }: Record<string, string>): string {
  // JSON omits the members that this type of key does not have.
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}
