import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type KeyObject,
  type webcrypto
} from 'node:crypto'
import { StartError } from '../../runtime/host-errors.ts'

/** Seconds that clients may cache the JWK set. A key is published this long before it signs. */
export const jwksMaxAge = 300

export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA'

/** A private key that signs access tokens, and the public key that verifies them. */
export type SigningKey = ReturnType<typeof toSigningKey>

/** Minimum bits of an RSA key, RFC 7518 §3.3. */
const minModulusBits = 2048

const generators: Record<SigningAlgorithm, () => { privateKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: minModulusBits }),
  EdDSA: () => generateKeyPairSync('ed25519')
}

/** Generates a key whose `kid` does not start with "-", which a command line would read as an option. */
export function generateSigningKey(algorithm: SigningAlgorithm): SigningKey {
  const key = toSigningKey(generators[algorithm]().privateKey.export({ format: 'jwk' }))
  return key.kid.startsWith('-') ? generateSigningKey(algorithm) : key
}

/** Converts a private JWK. Throws RangeError if no supported algorithm uses the key, or if it is too short. */
export function toSigningKey(jwk: webcrypto.JsonWebKey) {
  const algorithm = findAlgorithm(jwk)
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const { modulusLength = minModulusBits } = privateKey.asymmetricKeyDetails ?? {}
  if (modulusLength < minModulusBits) throw new RangeError('an RSA key must have at least 2048 bits')
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

function findAlgorithm({ kty, crv }: webcrypto.JsonWebKey): SigningAlgorithm {
  if (kty === 'EC' && crv === 'P-256') return 'ES256'
  if (kty === 'OKP' && crv === 'Ed25519') return 'EdDSA'
  if (kty === 'RSA') return 'RS256'
  throw new RangeError('a signing key must be an EC key on P-256, an RSA key or an Ed25519 key')
}

/** Computes the thumbprint, RFC 7638 §3: SHA-256 of the required members in lexicographic order. */
function computeThumbprint({ crv, e, kty, n, x, y }: Record<string, string>): string {
  // JSON omits the members that this type of key does not have.
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url')
}

const header = { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', cty: 'jwk+json' }
/** Iterations of PBKDF2 with SHA-512, as OWASP recommends for passphrases. Each key takes 55 ms at the start. */
const iterations = 210_000
/** Maximum iterations of keys that other software has encrypted. A larger count could block the start. */
const maxIterations = 2_000_000

/** Serializes a private key for the database. Encrypts it if there is a secret, RFC 7517 §7. */
export async function sealKey(jwk: object, secret: string | undefined): Promise<string> {
  const text = JSON.stringify(jwk)
  if (secret === undefined) return text
  // The library is imported here, because the help of a command loads this file but not the library.
  const { CompactEncrypt } = await import('jose')
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader(header)
    .setKeyManagementParameters({ p2c: iterations })
    .encrypt(Buffer.from(secret))
}

export const isSealed = (stored: string): boolean => !stored.startsWith('{')

/** The secret that encrypts the private keys, and the former secret, which only decrypts. */
export interface KeySecrets {
  keyEncryptionSecret?: string
  keyEncryptionSecretOld?: string
}

/** Parses a private key from the database. Throws StartError if no secret decrypts it. */
export async function openKey(
  stored: string,
  { keyEncryptionSecret: secret, keyEncryptionSecretOld: old }: KeySecrets
): Promise<object> {
  if (!isSealed(stored)) return JSON.parse(stored)
  for (const each of [secret, old]) {
    const text = each && (await decrypt(stored, each))
    if (text) return JSON.parse(text)
  }
  throw new StartError('PTS_BAD_KEYS', describeFailure(secret, old))
}

function describeFailure(secret: string | undefined, old: string | undefined): string {
  if (old !== undefined)
    return 'neither KEY_ENCRYPTION_SECRET nor KEY_ENCRYPTION_SECRET_OLD decrypts the signing keys'
  if (secret !== undefined) return 'KEY_ENCRYPTION_SECRET does not decrypt the signing keys'
  return 'the signing keys are encrypted: set KEY_ENCRYPTION_SECRET'
}

/** Decrypts a private key from the database; undefined if it is not encrypted with this secret. */
export async function decrypt(stored: string, secret: string): Promise<string | undefined> {
  const { compactDecrypt } = await import('jose')
  const options = { keyManagementAlgorithms: [header.alg], maxPBES2Count: maxIterations }
  return compactDecrypt(stored, Buffer.from(secret), options).then(
    ({ plaintext }) => Buffer.from(plaintext).toString(),
    () => undefined
  )
}
