import {
  activateSigningKey,
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  type StoredKey
} from '../../db/accounts/signing-keys.ts'
import { type AuditActor, noActor, recordEvent } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { listSealedKeys, replaceSealedKey } from '../../db/sealed.ts'
import type { Tables } from '../../db/tables.ts'
import { transact } from '../../db/transaction.ts'
import { clockSkewSeconds, secondsSince } from '../../domain/timestamp.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { generateStoredKey, type KeySettings } from './key-ring.ts'
import { decrypt, isSealed, jwksMaxAge, type KeySecrets, openKey, sealKey } from './signing-key.ts'

type RotationStep = { step: 'published' | 'waiting' | 'activated'; kid: string; secondsToWait: number }

interface RotationOptions {
  /** Whether to activate the next key even if some clients may not know it yet. */
  now?: boolean
  /** Minimum age in seconds of the key that is replaced. */
  maxAge?: number
  /** The actor for the audit trail; the service itself if omitted. */
  actor?: AuditActor
}

/**
 * Takes one step of a rotation: publishes the next key, or activates it when all clients can know it. Throws
 * StartError and changes nothing if the stored keys have another secret.
 */
export async function rotateKeys(
  db: Db,
  settings: KeySettings,
  { now = false, maxAge, actor = noActor }: RotationOptions = {}
): Promise<RotationStep> {
  // Other processes could not decrypt a key with another secret, nor trust an unencrypted one.
  await checkSecret(await listSigningKeys(db), settings)
  // The key is generated outside the transaction, because that is slow.
  const made = await generateStoredKey(settings)
  return transact(db, async transaction => {
    const keys = await listSigningKeys(transaction)
    // Another process may have replaced the current key since.
    if (maxAge !== undefined && !isDue(keys, maxAge))
      return { step: 'waiting', kid: '', secondsToWait: maxAge }
    const next = keys.find(({ status }) => status === 'next')
    const kid = next?.id ?? made.id
    if (!next) {
      await insertSigningKey(transaction, made, 'next')
      await recordEvent(transaction, actor, 'key.publish', { id: kid })
    }
    const secondsToWait = now ? 0 : Math.max(0, jwksMaxAge - (next ? secondsSince(next.timeCreated) : 0))
    if (secondsToWait > 0)
      return { step: next ? 'waiting' : 'published', kid, secondsToWait: Math.ceil(secondsToWait) }
    await activateSigningKey(transaction, kid)
    await recordEvent(transaction, actor, 'key.activate', { id: kid })
    return { step: 'activated', kid, secondsToWait: 0 }
  })
}

/** Throws StartError unless the stored keys are encrypted with the secret, or unencrypted if there is none. */
async function checkSecret(keys: StoredKey[], settings: KeySettings): Promise<void> {
  for (const { privateJwk } of keys) {
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
  const step = await rotateKeys(db, settings, { maxAge })
  return step.step === 'waiting' ? undefined : step
}

function isDue(keys: StoredKey[], maxAge: number): boolean {
  const current = keys.find(({ status }) => status === 'current')
  return current !== undefined && secondsSince(current.timeActivated ?? '') > maxAge
}

/** Maximum number of rounds, because other processes may store keys meanwhile. */
const maxRounds = 5

/**
 * Encrypts all keys that these tables have with the new secret. The old secret decrypts them. Services that have both
 * secrets keep running. Returns the ids of the changed rows. Throws StartError and changes nothing if neither secret
 * decrypts a key.
 */
export async function reencryptKeys(
  db: Db,
  tables: Tables,
  secrets: KeySecrets,
  actor = noActor
): Promise<string[]> {
  const { keyEncryptionSecret: secret } = secrets
  if (secret === undefined)
    throw new StartError('PTS_BAD_OPTION', 'KEY_ENCRYPTION_SECRET is missing: set it to the new secret')
  const changed = new Set<string>()
  for (let round = 0; round <= maxRounds; round++) {
    const resealed = await resealOthers(await listSealedKeys(db, tables), secret, secrets)
    if (resealed.length === 0) return [...changed]
    for (const [key, to] of resealed) {
      const hasChanged = await transact(db, async transaction => {
        const replaced = await replaceSealedKey(transaction, key, to)
        if (replaced) await recordEvent<string>(transaction, actor, key.action, key)
        return replaced
      })
      if (hasChanged) changed.add(key.id)
    }
  }
  throw new Error('other processes keep storing keys with another secret')
}

/** Encrypts the keys that need it. Nothing is stored yet, so a failure changes nothing. */
async function resealOthers<Key extends { sealed: string }>(
  keys: Key[],
  secret: string,
  secrets: KeySecrets
) {
  const resealed: [key: Key, to: string][] = []
  for (const key of keys) {
    if ((await decrypt(key.sealed, secret)) !== undefined) continue
    resealed.push([key, await sealKey(await openKey(key.sealed, secrets), secret)])
  }
  return resealed
}
