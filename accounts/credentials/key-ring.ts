import { readFile } from 'node:fs/promises'
import {
  insertSigningKey,
  listSigningKeys,
  raiseAccessTokenTtl,
  type StoredKey
} from '../../db/accounts/signing-keys.ts'
import type { Db } from '../../db/schema.ts'
import { replaceSealedKey, signingKeyColumn } from '../../db/sealed.ts'
import { transact } from '../../db/transaction.ts'
import { versionsOf } from '../../db/versions.ts'
import { StartError } from '../../runtime/host-errors.ts'
import {
  generateSigningKey,
  isSealed,
  type KeySecrets,
  openKey,
  type SigningAlgorithm,
  type SigningKey,
  sealKey,
  toSigningKey
} from './signing-key.ts'

export interface KeySettings extends KeySecrets {
  signingAlgorithm: SigningAlgorithm
}

export interface KeyRing {
  /** Whether keys may be removed while the service runs, as keys in the database may. */
  mutable: boolean
  /** Returns the key that signs. */
  current(): Promise<SigningKey>
  /** Finds a key that verifies. */
  find(kid: string): Promise<SigningKey | undefined>
  published(): Promise<SigningKey[]>
}

/** The listener is called if another process has stored a key that cannot be decrypted with this secret. */
type OnUnusable = (kid: string, error: unknown) => void

/**
 * Opens the configured keys. In the database, creates the first key if there is none, and encrypts keys that were
 * stored without the secret. Throws StartError and changes nothing if a key is unusable.
 */
export async function openKeyRing(
  db: Db,
  settings: KeySettings & { accessTokenTtl: number; signingKeysFile?: string },
  onUnusable: OnUnusable
): Promise<KeyRing> {
  const { signingKeysFile, keyEncryptionSecret: secret } = settings
  if (signingKeysFile !== undefined) return makeFileKeys(await readKeysFile(signingKeysFile))
  const keys = await listSigningKeys(db)
  const opened = new Map<string, SigningKey>()
  for (const { id, privateJwk } of keys) opened.set(id, toSigningKey(await openKey(privateJwk, settings)))
  if (!keys.some(({ status }) => status === 'current')) await addFirstKey(db, settings)
  for (const { id, privateJwk } of keys)
    if (secret && !isSealed(privateJwk))
      await replaceSealedKey(
        db,
        { ...signingKeyColumn, id, sealed: privateJwk },
        await sealKey(JSON.parse(privateJwk), secret)
      )
  return openDatabaseKeys(db, settings, opened, onUnusable)
}

function makeFileKeys(keys: SigningKey[]): KeyRing {
  return {
    mutable: false,
    current: async () => keys[0] as SigningKey,
    find: async kid => keys.find(key => key.kid === kid),
    published: async () => keys
  }
}

/** Reads the stored keys, and opens new ones. */
function createKeyLoader(
  db: Db,
  secrets: KeySettings,
  first: Map<string, SigningKey>,
  onUnusable: OnUnusable
) {
  let opened = first
  /** Each key is decrypted only once, even for concurrent requests, because decryption is slow on purpose. */
  const opening = new Map<string, Promise<SigningKey | undefined>>()
  const open = ({ id, privateJwk }: StoredKey) =>
    openKey(privateJwk, secrets)
      .then(toSigningKey)
      .catch(error => void onUnusable(id, error))
  let loads = 0
  let newest = 0
  const load = async () => {
    const turn = ++loads
    const stored = await listSigningKeys(db)
    const keys = new Map<string, SigningKey>()
    for (const row of stored) {
      if (!opened.has(row.id) && !opening.has(row.privateJwk)) opening.set(row.privateJwk, open(row))
      const key = opened.get(row.id) ?? (await opening.get(row.privateJwk))
      if (key) keys.set(row.id, key)
    }
    // A load that began earlier may end later, with older keys.
    if (turn > newest) {
      newest = turn
      opened = keys
    }
    return { stored, keys }
  }
  return { load, find: (kid: string) => opened.get(kid) }
}

function openDatabaseKeys(
  db: Db,
  { accessTokenTtl, ...secrets }: KeySettings & { accessTokenTtl: number },
  opened: Map<string, SigningKey>,
  onUnusable: OnUnusable
): KeyRing {
  const { load, find } = createKeyLoader(db, secrets, opened, onUnusable)
  /** The last load for an unknown key, and the version before it. */
  let last: { access?: string; loaded?: Promise<unknown> } = {}
  /**
   * Loads once per version, so that tokens with forged keys are cheap. A key that begins to sign changes the version.
   */
  const loadChanged = async () => {
    const { access } = await versionsOf(db).now()
    if (access !== last.access) last = { access, loaded: load() }
    await last.loaded?.catch(error => {
      last = {}
      throw error
    })
  }
  return {
    mutable: true,
    async current() {
      const { stored: all, keys } = await load()
      const stored = all.findLast(({ status }) => status === 'current')
      const key = stored && keys.get(stored.id)
      if (!key) throw new Error('there is no current signing key')
      // The time is stored before the key signs, because it determines how long the key is kept after its retirement.
      if ((stored.accessTokenTtl ?? 0) < accessTokenTtl)
        await raiseAccessTokenTtl(db, stored.id, accessTokenTtl)
      return key
    },
    async find(kid) {
      if (!find(kid)) await loadChanged()
      return find(kid)
    },
    async published() {
      return [...(await load()).keys.values()]
    }
  }
}

/** Reads the keys of a private JWK set, RFC 7517 §5; the first one signs. Throws StartError. */
export async function readKeysFile(path: string): Promise<SigningKey[]> {
  try {
    const { keys } = JSON.parse(await readFile(path, 'utf8'))
    if (!Array.isArray(keys) || keys.length === 0) throw new RangeError('it has no keys')
    return keys.map(toSigningKey)
  } catch (error) {
    // The message of the parser is left out, because it quotes the file.
    const { code, message } = error as NodeJS.ErrnoException
    const reason = error instanceof RangeError ? message : (code ?? 'it is not a private JWK set')
    const text = `SIGNING_KEYS_FILE cannot be used: ${reason}: ${path}`
    throw new StartError('PTS_BAD_KEYS', text, { cause: error })
  }
}

async function addFirstKey(db: Db, settings: KeySettings): Promise<void> {
  const made = await generateStoredKey(settings)
  await transact(db, async transaction => {
    // Another process may have added it since.
    const keys = await listSigningKeys(transaction)
    if (!keys.some(({ status }) => status === 'current')) await insertSigningKey(transaction, made, 'current')
  })
}

/** Generates a key in the form of the database. */
export async function generateStoredKey({ signingAlgorithm, keyEncryptionSecret }: KeySettings) {
  const { kid: id, algorithm, privateJwk } = generateSigningKey(signingAlgorithm)
  return { id, algorithm, privateJwk: await sealKey(privateJwk, keyEncryptionSecret) }
}
