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
import { jwksMaxAge } from './jwks-max-age.ts'
import { checkSecret, type KeySettings, type NewKey, newKey } from './key-store.ts'

export type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

/**
 * Takes one step of a rotation: publishes the next key, or activates it once all clients can know it; `now` does not
 * wait for that. Throws StartError and changes nothing if the secret is not that of the stored keys.
 */
export async function rotateKeys(db: Db, settings: KeySettings, { now = false } = {}): Promise<RotationStep> {
  const made = await createNextKey(db, settings)
  return transact(db, async transaction => rotate(transaction, await listSigningKeys(transaction), made, now))
}

/** Like {@link rotateKeys} if the current key is older than `maxAge` seconds; undefined if nothing was due. */
async function rotateDueKeys(
  db: Db,
  settings: KeySettings,
  maxAge: number
): Promise<RotationStep | undefined> {
  const made = await createNextKey(db, settings)
  const step = await transact(db, async transaction => {
    const keys = await listSigningKeys(transaction)
    // Another process may have rotated it since.
    return isDue(keys, maxAge) ? rotate(transaction, keys, made, false) : undefined
  })
  return step?.step === 'waiting' ? undefined : step
}

async function createNextKey(db: Db, settings: KeySettings): Promise<NewKey> {
  // Other processes could not decrypt a key with another secret, nor trust an unencrypted one.
  await checkSecret(await listSigningKeys(db), settings)
  return newKey(settings)
}

function isDue(keys: StoredKey[], maxAge: number): boolean {
  const current = keys.find(({ status }) => status === 'current')
  return maxAge > 0 && current !== undefined && ageOf(current.timeActivated) > maxAge
}

async function rotate(db: Db, keys: StoredKey[], made: NewKey, now: boolean): Promise<RotationStep> {
  const next = keys.find(({ status }) => status === 'next')
  if (!next) await insertSigningKey(db, made, 'next')
  const kid = next?.id ?? made.id
  const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? ageOf(next.timeCreated) : 0))
  if (secondsToWait > 0)
    return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
  await activateSigningKey(db, kid)
  return { step: 'activated', kid, secondsToWait: 0 }
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
  if (!isDue(keys, settings.signingKeyMaxAge)) return undefined
  return rotateDueKeys(db, settings, settings.signingKeyMaxAge)
}

const ageOf = (time: StoredKey['timeActivated']): number => (Date.now() - Date.parse(time ?? '')) / 1000
