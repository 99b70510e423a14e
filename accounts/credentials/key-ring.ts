import { readFile } from 'node:fs/promises'
import {
  insertSigningKey,
  listSigningKeys,
  raiseAccessTokenTtl,
  replacePrivateJwk,
  type StoredKey
} from '../../db/accounts/signing-keys.ts'
import type { Db } from '../../db/schema.ts'
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
  const opened: OpenedKeys = new Map()
  for (const { id, privateJwk: text } of keys)
    opened.set(id, { text, key: toSigningKey(await openKey(text, settings)) })
  if (!keys.some(isCurrent)) await addFirstKey(db, settings)
  for (const { id, privateJwk } of keys)
    if (secret && !isSealed(privateJwk))
      await replacePrivateJwk(db, id, privateJwk, await sealKey(JSON.parse(privateJwk), secret))
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

/**
 * Keys with their stored texts, by `kid`. Each is opened once, even for concurrent requests, because decryption is slow
 * on purpose.
 */
type OpenedKeys = Map<string, { text: string; key: SigningKey | Promise<SigningKey | undefined> }>

function openDatabaseKeys(
  db: Db,
  { accessTokenTtl, ...secrets }: KeySecrets & { accessTokenTtl: number },
  opened: OpenedKeys,
  onUnusable: OnUnusable
): KeyRing {
  const open = async ({ id, privateJwk: text }: StoredKey): Promise<SigningKey | undefined> => {
    const entry = opened.get(id)
    // A key that is open may since be encrypted with a secret that only newer processes have.
    if (entry && (entry.text === text || (await entry.key))) return entry.key
    const key = openKey(text, secrets)
      .then(toSigningKey)
      .catch(error => void onUnusable(id, error))
    opened.set(id, { text, key })
    return key
  }
  const load = async () => {
    // A slow load must not forget a key that a later one has found.
    const kids = [...opened.keys()]
    const stored = await listSigningKeys(db)
    for (const kid of kids) if (!stored.some(({ id }) => id === kid)) opened.delete(kid)
    return Promise.all(stored.map(async row => ({ ...row, key: await open(row) })))
  }
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
      const current = (await load()).findLast(isCurrent)
      if (!current?.key) throw new Error('there is no current signing key')
      // The time is stored before the key signs, because it determines how long the key is kept after its retirement.
      if ((current.accessTokenTtl ?? 0) < accessTokenTtl)
        await raiseAccessTokenTtl(db, current.id, accessTokenTtl)
      return current.key
    },
    async find(kid) {
      if (!(await opened.get(kid)?.key)) await loadChanged()
      return opened.get(kid)?.key
    },
    async published() {
      return (await load()).flatMap(({ key }) => key ?? [])
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

const addFirstKey = (db: Db, settings: KeySettings): Promise<void> =>
  transact(db, async transaction => {
    // Another process may have added it since.
    if ((await listSigningKeys(transaction)).some(isCurrent)) return
    await insertSigningKey(transaction, await generateStoredKey(settings), 'current')
  })

const isCurrent = ({ status }: StoredKey): boolean => status === 'current'

/** Generates a key in the form of the database. */
export async function generateStoredKey({ signingAlgorithm, keyEncryptionSecret }: KeySettings) {
  const { kid: id, algorithm, privateJwk } = generateSigningKey(signingAlgorithm)
  return { id, algorithm, privateJwk: await sealKey(privateJwk, keyEncryptionSecret) }
}
