import {
  activateSigningKey,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type StoredKey
} from '../../db/accounts/signing-keys.ts'
import { type AuditActor, noActor, recordEvent } from '../../db/audit/record.ts'
import type { Db, Transaction } from '../../db/schema.ts'
import { transact } from '../../db/transaction.ts'
import { clockSkewSeconds, secondsSince } from '../../domain/timestamp.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { generateStoredKey, type KeySettings } from './key-ring.ts'
import { isSealed, jwksMaxAge, openKey } from './signing-key.ts'

type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

interface RotationOptions {
  /** Whether to activate the next key even if some clients may not know it yet. */
  now?: boolean
  /** The actor for the audit trail. */
  actor: AuditActor
}

/**
 * Takes one step of a rotation: publishes the next key, or activates it when all clients can know it. Throws
 * StartError and changes nothing if the stored keys have another secret.
 */
export async function rotateKeys(
  db: Db,
  settings: KeySettings,
  options: RotationOptions
): Promise<RotationStep> {
  // Other processes could not decrypt a key with another secret, nor trust an unencrypted one.
  await checkSecret(db, settings)
  return transact(db, async transaction =>
    takeStep(transaction, await listSigningKeys(transaction), settings, options)
  )
}

async function takeStep(
  transaction: Transaction,
  keys: StoredKey[],
  settings: KeySettings,
  { now = false, actor }: RotationOptions
): Promise<RotationStep> {
  const next = keys.find(({ status }) => status === 'next')
  let kid = next?.id
  if (kid === undefined) {
    const made = await generateStoredKey(settings)
    await insertSigningKey(transaction, made, 'next')
    await recordEvent(transaction, actor, 'key.publish', { id: made.id })
    kid = made.id
  }
  const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? secondsSince(next.timeCreated) : 0))
  if (secondsToWait > 0)
    return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
  await activateSigningKey(transaction, kid)
  await recordEvent(transaction, actor, 'key.activate', { id: kid })
  return { step: 'activated', kid, secondsToWait: 0 }
}

/** Throws StartError unless the stored keys are encrypted with the secret, or unencrypted if there is none. */
async function checkSecret(db: Db, settings: KeySettings): Promise<void> {
  for (const { privateJwk } of await listSigningKeys(db)) {
    await openKey(privateJwk, settings)
    if (settings.keyEncryptionSecret === undefined || isSealed(privateJwk)) continue
    const fix = 'start the service with KEY_ENCRYPTION_SECRET first'
    throw new StartError('PTS_BAD_KEYS', `the signing keys are not encrypted yet: ${fix}`)
  }
}

/** Deletes keys whose tokens have all expired, and takes a step of a rotation if the current key is due. */
export async function maintainKeys(
  db: Db,
  settings: KeySettings & { signingKeyMaxAge: number; accessTokenTtl: number }
): Promise<RotationStep | undefined> {
  const keys = await listSigningKeys(db)
  for (const { id, timeRetired, accessTokenTtl } of keys) {
    const lifetime = accessTokenTtl ?? settings.accessTokenTtl
    if (timeRetired !== null && secondsSince(timeRetired) > lifetime + clockSkewSeconds)
      await transact(db, async transaction => {
        if (await deleteSigningKey(transaction, id))
          await recordEvent(transaction, noActor, 'key.delete', { id })
      })
  }
  const { signingKeyMaxAge: maxAge } = settings
  if (maxAge === 0 || !isDue(keys, maxAge)) return undefined
  await checkSecret(db, settings)
  return transact(db, async transaction => {
    const current = await listSigningKeys(transaction)
    // Another process may have replaced the current key since.
    if (!isDue(current, maxAge)) return undefined
    const step = await takeStep(transaction, current, settings, { actor: noActor })
    return step.step === 'waiting' ? undefined : step
  })
}

function isDue(keys: StoredKey[], maxAge: number): boolean {
  const current = keys.find(({ status }) => status === 'current')
  return current !== undefined && secondsSince(current.timeActivated ?? '') > maxAge
}
