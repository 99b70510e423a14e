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

/** The secret that encrypts the private keys, and the one before, which only decrypts. */
export interface KeySecrets {
  keyEncryptionSecret?: string
  keyEncryptionSecretOld?: string
}

/** Parses a private key from the database. Throws StartError if no secret decrypts it. */
export async function openKey(stored: string, secrets: KeySecrets): Promise<object> {
  if (!isSealed(stored)) return JSON.parse(stored)
  const { keyEncryptionSecret: secret, keyEncryptionSecretOld: old } = secrets
  if (secret === undefined && old === undefined)
    throw new StartError('PTS_BAD_KEYS', 'the signing keys are encrypted: set KEY_ENCRYPTION_SECRET')
  let cause: unknown
  for (const each of [secret, old].filter(each => each !== undefined)) {
    try {
      return JSON.parse(await decrypt(stored, each))
    } catch (error) {
      cause = error
    }
  }
  const subject =
    old === undefined
      ? 'KEY_ENCRYPTION_SECRET does not decrypt'
      : 'neither KEY_ENCRYPTION_SECRET nor KEY_ENCRYPTION_SECRET_OLD decrypts'
  throw new StartError('PTS_BAD_KEYS', `${subject} the signing keys`, { cause })
}

/** Whether a private key in the database is encrypted with this secret. */
export const isSealedWith = async (stored: string, secret: string): Promise<boolean> =>
  isSealed(stored) &&
  decrypt(stored, secret).then(
    () => true,
    () => false
  )

async function decrypt(stored: string, secret: string): Promise<string> {
  const { compactDecrypt } = await import('jose')
  const { plaintext } = await compactDecrypt(stored, Buffer.from(secret), {
    keyManagementAlgorithms: [header.alg],
    maxPBES2Count: maxIterations
  })
  return Buffer.from(plaintext).toString()
}
