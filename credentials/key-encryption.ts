import { StartError } from '../errors.ts'

const header = { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', cty: 'jwk+json' }
/** OWASP's count for PBKDF2 with SHA-512, since the secret may be a passphrase; 55 ms per key at startup. */
const iterations = 210_000
/** Bounds the count of keys encrypted by other software; an unbounded one could block the start. */
const maxIterations = 2_000_000

/** Serializes a private key for the database; encrypts it if there is a secret, RFC 7517 §7. */
export async function sealKey(jwk: object, secret: string | undefined): Promise<string> {
  const text = JSON.stringify(jwk)
  if (secret === undefined) return text
  const { CompactEncrypt } = await import('jose')
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader(header)
    .setKeyManagementParameters({ p2c: iterations })
    .encrypt(Buffer.from(secret))
}

export const isSealed = (stored: string): boolean => !stored.startsWith('{')

/** Parses a private key from the database. Throws StartError if the secret is missing or wrong. */
export async function openKey(stored: string, secret: string | undefined): Promise<object> {
  if (!isSealed(stored)) return JSON.parse(stored)
  if (secret === undefined)
    throw new StartError('PTS_BAD_KEYS', 'the signing keys are encrypted: set KEY_ENCRYPTION_SECRET')
  const { compactDecrypt } = await import('jose')
  try {
    const { plaintext } = await compactDecrypt(stored, Buffer.from(secret), {
      keyManagementAlgorithms: [header.alg],
      maxPBES2Count: maxIterations
    })
    return JSON.parse(Buffer.from(plaintext).toString())
  } catch (error) {
    throw new StartError('PTS_BAD_KEYS', 'KEY_ENCRYPTION_SECRET does not decrypt the signing keys', {
      cause: error
    })
  }
}
