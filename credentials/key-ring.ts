import { listSigningKeys } from '../db/repositories/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { openKey } from './key-encryption.ts'
import { type KeySettings, prepareKeys, readKeysFile } from './key-store.ts'
import { type SigningKey, toSigningKey } from './signing-key.ts'

export interface KeyRing {
  /** Whether a key that was found may have been removed since, by any process on the database. */
  mutable: boolean
  /** The one that signs. */
  current(): Promise<SigningKey>
  /** One that verifies. */
  find(kid: string): Promise<SigningKey | undefined>
  published(): Promise<SigningKey[]>
}

/** The keys of the settings, made if need be. Throws StartError for keys that cannot be used. */
export async function openKeyRing(
  db: Db,
  settings: KeySettings & { signingKeysFile?: string }
): Promise<KeyRing> {
  if (settings.signingKeysFile !== undefined) return fileKeys(await readKeysFile(settings.signingKeysFile))
  await prepareKeys(db, settings)
  return databaseKeys(db, settings.keyEncryptionSecret)
}

function fileKeys(keys: SigningKey[]): KeyRing {
  return {
    mutable: false,
    current: async () => keys[0] as SigningKey,
    find: async kid => keys.find(key => key.kid === kid),
    published: async () => keys
  }
}

function databaseKeys(db: Db, secret: string | undefined): KeyRing {
  const parsed = new Map<string, SigningKey>()
  const load = async () => {
    const stored = await listSigningKeys(db)
    for (const { id, privateJwk } of stored) {
      if (!parsed.has(id)) parsed.set(id, toSigningKey(await openKey(privateJwk, secret)))
    }
    for (const id of parsed.keys()) if (!stored.some(key => key.id === id)) parsed.delete(id)
    return stored
  }
  return {
    mutable: true,
    async current() {
      const { id = '' } = (await load()).findLast(({ status }) => status === 'current') ?? {}
      const key = parsed.get(id)
      if (!key) throw new Error('no key signs')
      return key
    },
    async find(kid) {
      if (!parsed.has(kid)) await load()
      return parsed.get(kid)
    },
    async published() {
      await load()
      return [...parsed.values()]
    }
  }
}
