import {
  activateSigningKey,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type StoredKey
} from '../db/repositories/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { transact } from '../db/transaction.ts'
import { checkSecret, type KeySettings, newKey } from './key-store.ts'

/** Seconds in which others may keep our key set: a key is published for so long before it signs. */
export const jwksMaxAge = 300
/** Seconds by which the clocks of two instances may differ. */
const clockSkew = 60

export type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

/**
 * One step of a rotation: publishes the next key, or lets it sign once everybody can know it. `now` does
 * not wait for that. Throws StartError, and changes nothing, with another secret than that of the stored keys.
 */
export async function rotateKeys(db: Db, settings: KeySettings, { now = false } = {}): Promise<RotationStep> {
  // Nobody else could open a key of another secret, nor trust one without.
  await checkSecret(await listSigningKeys(db), settings)
  const made = await newKey(settings)
  return transact(db, async transaction => rotate(transaction, await listSigningKeys(transaction), made, now))
}

async function rotate(
  db: Db,
  keys: StoredKey[],
  made: Awaited<ReturnType<typeof newKey>>,
  now: boolean
): Promise<RotationStep> {
  const next = keys.find(({ status }) => status === 'next')
  if (!next) await insertSigningKey(db, made, 'next')
  const kid = next?.id ?? made.id
  const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? ageOf(next.timeCreated) : 0))
  if (secondsToWait > 0)
    return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
  await activateSigningKey(db, kid)
  return { step: 'activated', kid, secondsToWait: 0 }
}

/** What is due by the age of the keys: a step of a rotation, and forgetting keys whose tokens have expired. */
export async function maintainKeys(
  db: Db,
  settings: KeySettings & { signingKeyMaxAge: number; accessTokenTtl: number }
): Promise<RotationStep | undefined> {
  const keys = await listSigningKeys(db)
  for (const { id, timeRetired } of keys) {
    if (timeRetired !== null && ageOf(timeRetired) > settings.accessTokenTtl + clockSkew)
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
