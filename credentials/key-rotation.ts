import {
  activateSigningKey,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type StoredKey
} from '../db/accounts/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { clockSkewSeconds } from '../db/timestamp.ts'
import { transact } from '../db/transaction.ts'
import { checkSecret, type KeySettings, newKey } from './key-ring.ts'
import { jwksMaxAge } from './signing-key.ts'

export type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

interface RotationOptions {
  /** Whether to activate the next key even if some clients cannot know it. */
  now?: boolean
  /** Seconds: a younger key is not replaced. */
  maxAge?: number
}

/**
 * Takes one step of a rotation: publishes the next key, or activates it once all clients can know it. Throws
 * StartError and changes nothing if the secret is not that of the stored keys.
 */
export async function rotateKeys(
  db: Db,
  settings: KeySettings,
  { now = false, maxAge }: RotationOptions = {}
): Promise<RotationStep> {
  // Other processes could not decrypt a key with another secret, nor trust an unencrypted one.
  await checkSecret(await listSigningKeys(db), settings)
  // Made outside the transaction, because it takes long.
  const made = await newKey(settings)
  return transact(db, async transaction => {
    const keys = await listSigningKeys(transaction)
    // Another process may have replaced the current key since.
    if (maxAge !== undefined && !isDue(keys, maxAge))
      return { step: 'waiting', kid: '', secondsToWait: maxAge }
    const next = keys.find(({ status }) => status === 'next')
    if (!next) await insertSigningKey(transaction, made, 'next')
    const kid = next?.id ?? made.id
    const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? ageOf(next.timeCreated) : 0))
    if (secondsToWait > 0)
      return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
    await activateSigningKey(transaction, kid)
    return { step: 'activated', kid, secondsToWait: 0 }
  })
}

/** Deletes keys whose tokens have all expired, and takes a step of a rotation if the current key is due. */
export async function maintainKeys(
  db: Db,
  settings: KeySettings & { signingKeyMaxAge: number; accessTokenTtl: number }
): Promise<RotationStep | undefined> {
  const keys = await listSigningKeys(db)
  for (const { id, timeRetired, accessTokenTtl } of keys) {
    const lifetime = accessTokenTtl ?? settings.accessTokenTtl
    if (timeRetired !== null && ageOf(timeRetired) > lifetime + clockSkewSeconds)
      await deleteSigningKey(db, id)
  }
  const { signingKeyMaxAge: maxAge } = settings
  if (maxAge === 0 || !isDue(keys, maxAge)) return undefined
  const step = await rotateKeys(db, settings, { maxAge })
  return step.step === 'waiting' ? undefined : step
}

function isDue(keys: StoredKey[], maxAge: number): boolean {
  const current = keys.find(({ status }) => status === 'current')
  return current !== undefined && ageOf(current.timeActivated) > maxAge
}

const ageOf = (time: StoredKey['timeActivated']): number => (Date.now() - Date.parse(time ?? '')) / 1000
