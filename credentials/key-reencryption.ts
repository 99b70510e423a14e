import { listSigningKeys, replacePrivateKey } from '../db/accounts/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { StartError } from '../errors.ts'
import { isSealedWith, type KeySecrets, openKey, sealKey } from './key-encryption.ts'

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
  for (let round = 1; ; round++) {
    const resealed = await resealOthers(db, secret, secrets)
    if (resealed.length === 0) return [...changed]
    if (round > maxRounds) throw new Error('other processes keep storing keys with another secret')
    for (const { id, from, to } of resealed) if (await replacePrivateKey(db, id, from, to)) changed.add(id)
  }
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
