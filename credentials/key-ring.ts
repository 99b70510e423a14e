import { listSigningKeys, raiseAccessTokenTtl, type StoredKey } from '../db/accounts/signing-keys.ts'
import type { Db } from '../db/schema.ts'
import { openKey } from './key-encryption.ts'
import { type KeySettings, prepareKeys, readKeysFile } from './key-store.ts'
import { type SigningKey, toSigningKey } from './signing-key.ts'

export interface KeyRing {
  /** Whether any process on the database may remove a key. */
  mutable: boolean
  /** Returns the key that signs. */
  current(): Promise<SigningKey>
  /** Finds a key that verifies. */
  find(kid: string): Promise<SigningKey | undefined>
  published(): Promise<SigningKey[]>
}

/** Called if another process has stored a key that cannot be decrypted with this secret. */
export type OnUnusable = (kid: string, error: unknown) => void

/** Opens the configured keys; creates the first one if there is none. Throws StartError for unusable keys. */
export async function openKeyRing(
  db: Db,
  settings: KeySettings & { accessTokenTtl: number; signingKeysFile?: string },
  onUnusable: OnUnusable
): Promise<KeyRing> {
  if (settings.signingKeysFile !== undefined) return fileKeys(await readKeysFile(settings.signingKeysFile))
  const opened = await prepareKeys(db, settings)
  return databaseKeys(db, settings, opened, onUnusable)
}

function fileKeys(keys: SigningKey[]): KeyRing {
  return {
    mutable: false,
    current: async () => keys[0] as SigningKey,
    find: async kid => keys.find(key => key.kid === kid),
    published: async () => keys
  }
}

function databaseKeys(
  db: Db,
  { accessTokenTtl, ...secrets }: KeySettings & { accessTokenTtl: number },
  opened: Map<string, SigningKey>,
  onUnusable: OnUnusable
): KeyRing {
  /** Each key is decrypted once, even for concurrent requests: decryption is slow on purpose. */
  const tried = new Map<string, Promise<void>>()
  const open = async ({ id, privateJwk }: StoredKey) => {
    try {
      opened.set(id, toSigningKey(await openKey(privateJwk, secrets)))
    } catch (error) {
      onUnusable(id, error)
    }
  }
  const load = async () => {
    const stored = await listSigningKeys(db)
    for (const key of stored) {
      if (opened.has(key.id)) continue
      if (!tried.has(key.privateJwk)) tried.set(key.privateJwk, open(key))
      await tried.get(key.privateJwk)
    }
    for (const id of opened.keys()) if (!stored.some(key => key.id === id)) opened.delete(id)
    return stored
  }
  return {
    mutable: true,
    async current() {
      const stored = (await load()).findLast(({ status }) => status === 'current')
      const key = stored && opened.get(stored.id)
      if (!key) throw new Error('there is no current signing key')
      // Stored before the key signs: it determines how long the key is kept after its retirement.
      if ((stored.accessTokenTtl ?? 0) < accessTokenTtl)
        await raiseAccessTokenTtl(db, stored.id, accessTokenTtl)
      return key
    },
    async find(kid) {
      if (!opened.has(kid)) await load()
      return opened.get(kid)
    },
    async published() {
      await load()
      return [...opened.values()]
    }
  }
}
