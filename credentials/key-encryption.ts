import { StartError } from '../errors.ts'

const header = { alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', cty: 'jwk+json' }
/** The secret may be a phrase: OWASP's count for PBKDF2 with SHA-512, 55 ms for each key at the start. */
const iterations = 210_000
/** What others may have chosen; a count without a bound would let a stored key stop the start. */
const mostIterations = 2_000_000

/** A private key for the database: encrypted as RFC 7517 §7 has it when there is a secret, else as it is. */
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

/** The private key of the database. Throws StartError without the secret or with a wrong one. */
export async function openKey(stored: string, secret: string | undefined): Promise<object> {
  if (!isSealed(stored)) return JSON.parse(stored)
  if (secret === undefined)
    throw new StartError('PTS_BAD_KEYS', 'the signing keys are encrypted: set KEY_ENCRYPTION_SECRET')
  const { compactDecrypt } = await import('jose')
  try {
    const { plaintext } = await compactDecrypt(stored, Buffer.from(secret), {
      keyManagementAlgorithms: [header.alg],
      maxPBES2Count: mostIterations
    })
    return JSON.parse(Buffer.from(plaintext).toString())
  } catch (error) {
    throw new StartError('PTS_BAD_KEYS', 'KEY_ENCRYPTION_SECRET does not open the signing keys', {
      cause: error
    })
  }
}
