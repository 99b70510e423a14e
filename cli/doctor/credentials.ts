import { readKeysFile } from '../../accounts/credentials/key-ring.ts'
import { isSealed, openKey } from '../../accounts/credentials/signing-key.ts'
import { listSigningKeys } from '../../db/accounts/signing-keys.ts'
import { StartError } from '../../runtime/host-errors.ts'
import { findDemoCredentialRemedies } from '../../seeds/accounts.ts'
import { type Check, ok, problem, warning } from '../../terminal/finding.ts'
import { isReachableFromOutside } from '../serve/listen.ts'

/** Age in days above which `doctor` warns about a key that is not rotated automatically. */
const oldKeyDays = 365

/** Checks whether the signing keys can be read, whether they are encrypted, and how old the current one is. */
export const checkKeys: Check = async function* (db, settings) {
  const { signingKeysFile: file, keyEncryptionSecret: secret, signingKeyMaxAge: maxAge } = settings
  try {
    if (file !== undefined) return yield ok('keys', `${(await readKeysFile(file)).length} in ${file}`)
    const keys = await listSigningKeys(db)
    for (const { privateJwk } of keys) await openKey(privateJwk, settings)
    const current = keys.find(({ status }) => status === 'current')
    if (!current) return yield ok('keys', 'none yet: the service creates one when it starts')
    const since = Date.parse(current.timeActivated ?? current.timeCreated)
    const days = Math.floor((Date.now() - since) / 86_400_000)
    const clear = keys.some(({ privateJwk }) => !isSealed(privateJwk))
    const encrypted = clear ? 'not encrypted' : 'encrypted'
    yield ok('keys', `${keys.length} readable, ${encrypted}; the current key has signed for ${days} days`)
    const fix = 'restart the service: it encrypts the keys when it starts'
    if (clear && secret !== undefined) yield warning('keys', 'keys are not encrypted yet', fix)
    const anybody = 'whoever reads the database or a backup can sign tokens'
    if (clear && secret === undefined) yield warning('keys', anybody, 'set KEY_ENCRYPTION_SECRET and restart')
    const rotation =
      maxAge === 0 ? 'product-templates keys rotate' : 'see the log of the service: it rotates keys'
    if (days > (maxAge === 0 ? oldKeyDays : maxAge / 86_400 + 1))
      yield warning('keys', `the current key is ${days} days old`, rotation)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    const fix = 'set the secret with which the keys were encrypted, or SIGNING_KEYS_FILE'
    yield problem('keys', error.message, fix)
  }
}

/** Checks whether the public demo credentials work. */
export const checkDemo: Check = async function* (db, settings) {
  const remedies = await findDemoCredentialRemedies(db)
  if (remedies.length === 0) return yield ok('demo', 'the demo credentials do not work')
  const exposed = settings.environment === 'production' || (await isReachableFromOutside(settings))
  const text = 'anybody can log in with the demo credentials'
  yield (exposed ? problem : warning)('demo', text, remedies.join('; '))
}
