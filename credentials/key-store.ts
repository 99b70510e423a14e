import { readFile } from 'node:fs/promises'
import {
  insertSigningKey,
  listSigningKeys,
  type StoredKey,
  updatePrivateKey
} from '../db/accounts/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { StartError } from '../errors.ts'
import { isSealed, type KeySecrets, openKey, sealKey } from './key-encryption.ts'
import { generateSigningKey, type SigningAlgorithm, type SigningKey, toSigningKey } from './signing-key.ts'

export interface KeySettings extends KeySecrets {
  signingAlgorithm: SigningAlgorithm
}

/** Reads the keys of a private JWK set, RFC 7517 §5; the first one signs. Throws StartError. */
export async function readKeysFile(path: string): Promise<SigningKey[]> {
  try {
    const { keys } = JSON.parse(await readFile(path, 'utf8'))
    if (!Array.isArray(keys) || keys.length === 0) throw new RangeError('it has no keys')
    return keys.map(toSigningKey)
  } catch (error) {
    // Without the message of the parser, which quotes the file.
    const { code, message } = error as NodeJS.ErrnoException
    const reason = error instanceof RangeError ? message : (code ?? 'it is not a private JWK set')
    throw new StartError('PTS_BAD_KEYS', `SIGNING_KEYS_FILE cannot be used: ${reason}: ${path}`, {
      cause: error
    })
  }
}

/**
 * Creates the first key if there is none, and encrypts keys stored without the secret. Returns the keys found, by
 * `kid`. Throws StartError and changes nothing if a key cannot be decrypted.
 */
export async function prepareKeys(db: Db, settings: KeySettings): Promise<Map<string, SigningKey>> {
  const { keyEncryptionSecret: secret } = settings
  const keys = await listSigningKeys(db)
  const opened = new Map<string, SigningKey>()
  for (const { id, privateJwk } of keys) opened.set(id, toSigningKey(await openKey(privateJwk, settings)))
  if (!keys.some(({ status }) => status === 'current')) await addFirstKey(db, settings)
  for (const { id, privateJwk } of keys) {
    const key = opened.get(id)
    if (secret && key && !isSealed(privateJwk))
      await updatePrivateKey(db, id, await sealKey(key.privateJwk, secret))
  }
  return opened
}

async function addFirstKey(db: Db, settings: KeySettings): Promise<void> {
  const made = await newKey(settings)
  await transact(db, async transaction => {
    // Another process may have added it since.
    const keys = await listSigningKeys(transaction)
    if (!keys.some(({ status }) => status === 'current')) await insertSigningKey(transaction, made, 'current')
  })
}

/** A key to be stored. */
export type NewKey = Pick<StoredKey, 'id' | 'algorithm' | 'privateJwk'>

export async function newKey({ signingAlgorithm, keyEncryptionSecret }: KeySettings): Promise<NewKey> {
  const { kid: id, algorithm, privateJwk } = generateSigningKey(signingAlgorithm)
  return { id, algorithm, privateJwk: await sealKey(privateJwk, keyEncryptionSecret) }
}

/** Throws StartError unless the stored keys are encrypted with the secret, or unencrypted if there is none. */
export async function checkSecret(keys: StoredKey[], settings: KeySettings): Promise<void> {
  for (const { privateJwk } of keys) {
    await openKey(privateJwk, settings)
    if (settings.keyEncryptionSecret === undefined || isSealed(privateJwk)) continue
    const fix = 'start the service with KEY_ENCRYPTION_SECRET first'
    throw new StartError('PTS_BAD_KEYS', `the signing keys are not encrypted yet: ${fix}`)
  }
}
