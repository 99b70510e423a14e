import { readFile } from 'node:fs/promises'
import {
  activateSigningKey,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type StoredKey,
  updatePrivateKey
} from '../db/repositories/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { StartError } from '../errors.ts'
import { isSealed, openKey, sealKey } from './key-encryption.ts'
import { generateSigningKey, type SigningAlgorithm, type SigningKey, toSigningKey } from './signing-key.ts'

/** Seconds in which others may keep our key set: a key is published for so long before it signs. */
export const jwksMaxAge = 300

export interface KeySettings {
  signingAlgorithm: SigningAlgorithm
  keyEncryptionSecret?: string
}

/** The keys of a private JWK set, RFC 7517 §5; the first one signs. Throws StartError. */
export async function readKeysFile(path: string): Promise<SigningKey[]> {
  try {
    const { keys } = JSON.parse(await readFile(path, 'utf8'))
    if (!Array.isArray(keys) || keys.length === 0) throw new RangeError('it has no keys')
    return keys.map(toSigningKey)
  } catch (error) {
    // Not the message of a parser: it quotes the file.
    const { code, message } = error as NodeJS.ErrnoException
    const reason = error instanceof RangeError ? message : (code ?? 'it is no private JWK set')
    throw new StartError('PTS_BAD_KEYS', `SIGNING_KEYS_FILE cannot be used: ${reason}: ${path}`, {
      cause: error
    })
  }
}

/** Makes the first key where there is none, and encrypts what was stored without the secret. */
export async function prepareKeys(db: Db, settings: KeySettings): Promise<void> {
  const keys = await listSigningKeys(db)
  if (!keys.some(({ status }) => status === 'current')) await addFirstKey(db, settings)
  for (const { id, privateJwk } of keys) {
    const jwk = await openKey(privateJwk, settings.keyEncryptionSecret)
    if (settings.keyEncryptionSecret && !isSealed(privateJwk)) {
      await updatePrivateKey(db, id, await sealKey(jwk, settings.keyEncryptionSecret))
    }
  }
}

async function addFirstKey(db: Db, settings: KeySettings): Promise<void> {
  const made = await newKey(settings)
  await transact(db, async transaction => {
    // Another process may have been faster.
    const keys = await listSigningKeys(transaction)
    if (!keys.some(({ status }) => status === 'current')) await insertSigningKey(transaction, made, 'current')
  })
}

async function newKey({ signingAlgorithm, keyEncryptionSecret }: KeySettings) {
  const { kid: id, algorithm, privateJwk } = generateSigningKey(signingAlgorithm)
  return { id, algorithm, privateJwk: await sealKey(privateJwk, keyEncryptionSecret) }
}

export type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

/**
 * One step of a rotation: publishes the next key, or lets it sign once everybody can know it. `now` does
 * not wait for that.
 */
export async function rotateKeys(db: Db, settings: KeySettings, { now = false } = {}): Promise<RotationStep> {
  const made = await newKey(settings)
  return transact(db, async transaction => {
    const next = (await listSigningKeys(transaction)).find(({ status }) => status === 'next')
    if (!next) await insertSigningKey(transaction, made, 'next')
    const kid = next?.id ?? made.id
    const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? ageOf(next.timeCreated) : 0))
    if (secondsToWait > 0)
      return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
    await activateSigningKey(transaction, kid)
    return { step: 'activated', kid, secondsToWait: 0 }
  })
}

/** What is due by the age of the keys: a step of a rotation, and forgetting keys whose tokens have expired. */
export async function maintainKeys(
  db: Db,
  settings: KeySettings & { signingKeyMaxAge: number; accessTokenTtl: number }
): Promise<RotationStep | undefined> {
  const keys = await listSigningKeys(db)
  for (const { id, timeRetired } of keys) {
    if (timeRetired !== null && ageOf(timeRetired) > settings.accessTokenTtl + 60)
      await deleteSigningKey(db, id)
  }
  const current = keys.find(({ status }) => status === 'current')
  const due =
    settings.signingKeyMaxAge > 0 && current && ageOf(current.timeActivated) > settings.signingKeyMaxAge
  if (!due) return undefined
  const step = await rotateKeys(db, settings)
  return step.step === 'waiting' ? undefined : step
}

const ageOf = (time: StoredKey['timeActivated']): number => (Date.now() - Date.parse(time ?? '')) / 1000
