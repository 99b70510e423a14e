import { listSigningKeys, replacePrivateKey } from '../db/accounts/signing-keys.ts'
import type { Db } from '../db/schema.ts'
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
  for (const each of [secret, old].filter(each => each !== undefined)) {
    const text = await decrypt(stored, each)
    if (text !== undefined) return JSON.parse(text)
  }
  const subject =
    old === undefined
      ? 'KEY_ENCRYPTION_SECRET does not decrypt'
      : 'neither KEY_ENCRYPTION_SECRET nor KEY_ENCRYPTION_SECRET_OLD decrypts'
  throw new StartError('PTS_BAD_KEYS', `${subject} the signing keys`)
}

/** Whether a private key in the database is encrypted with this secret. */
export const isSealedWith = async (stored: string, secret: string): Promise<boolean> =>
  isSealed(stored) && (await decrypt(stored, secret)) !== undefined

/** Returns undefined if the secret is wrong. */
async function decrypt(stored: string, secret: string): Promise<string | undefined> {
  const { compactDecrypt } = await import('jose')
  const options = { keyManagementAlgorithms: [header.alg], maxPBES2Count: maxIterations }
  return compactDecrypt(stored, Buffer.from(secret), options).then(
    ({ plaintext }) => Buffer.from(plaintext).toString(),
    () => undefined
  )
}

/** Rounds in which keys are looked for that others have stored meanwhile. */
const maxRounds = 5

/**
 * Encrypts every signing key in the database that is not encrypted with the secret; the old secret opens the others.
 * Services that have both secrets go on meanwhile. Returns the ids of these keys. Throws StartError, and changes nothing, if
 * a key can be opened with neither.
 */
export async function reencryptKeys(db: Db, secrets: KeySecrets): Promise<string[]> {
  const { keyEncryptionSecret: secret } = secrets
  if (secret === undefined)
    throw new StartError('PTS_BAD_OPTION', 'KEY_ENCRYPTION_SECRET is missing: set it to the new secret')
  const changed = new Set<string>()
  for (let round = 0; round <= maxRounds; round++) {
    const resealed = await resealOthers(db, secret, secrets)
    if (resealed.length === 0) return [...changed]
    for (const { id, from, to } of resealed) if (await replacePrivateKey(db, id, from, to)) changed.add(id)
  }
  throw new Error('other processes keep storing keys with another secret')
}

/** Encrypts the keys that need it, before any is stored. */
async function resealOthers(db: Db, secret: string, secrets: KeySecrets) {
  const resealed: { id: string; from: string; to: string }[] = []
  for (const { id, privateJwk: from } of await listSigningKeys(db)) {
    if (await isSealedWith(from, secret)) continue
    resealed.push({ id, from, to: await sealKey(await openKey(from, secrets), secret) })
  }
  return resealed
}
