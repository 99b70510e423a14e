import { isSealed, openKey } from '../../credentials/key-encryption.ts'
import { readKeysFile } from '../../credentials/key-store.ts'
import { listSigningKeys } from '../../db/accounts/signing-keys.ts'
import { StartError } from '../../errors.ts'
import { type Check, type Finding, findingsOf } from './finding.ts'

const { ok, warning, problem } = findingsOf('keys')

/** Days after which a key that is not rotated automatically is old. */
const oldAge = 365

/** The signing keys: whether they can be read, and how old the current one is. */
export const checkKeys: Check = async (db, settings) => {
  const { signingKeysFile: file, keyEncryptionSecret: secret } = settings
  try {
    if (file !== undefined) return [ok(`${(await readKeysFile(file)).length} in ${file}`)]
    const keys = await listSigningKeys(db)
    for (const { privateJwk } of keys) await openKey(privateJwk, settings)
    const current = keys.find(({ status }) => status === 'current')
    if (!current) return [ok('none yet: the service creates one when it starts')]
    const days = Math.floor(
      (Date.now() - Date.parse(current.timeActivated ?? current.timeCreated)) / 86_400_000
    )
    const clear = keys.some(({ privateJwk }) => !isSealed(privateJwk))
    const encrypted = clear ? 'not encrypted' : 'encrypted'
    const found = [ok(`${keys.length} readable, ${encrypted}; the current one signs for ${days} days`)]
    return [...found, ...checkEncryption(clear, secret), ...checkAge(days, settings.signingKeyMaxAge)]
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [problem(error.message, 'set the secret with which the keys were encrypted, or SIGNING_KEYS_FILE')]
  }
}

function checkEncryption(clear: boolean, secret: string | undefined): Finding[] {
  if (!clear) return []
  return secret === undefined
    ? [
        warning(
          'whoever reads the database or a backup can sign tokens',
          'set KEY_ENCRYPTION_SECRET and restart'
        )
      ]
    : [warning('keys are not encrypted yet', 'restart the service: it encrypts them when it starts')]
}

function checkAge(days: number, maxAge: number): Finding[] {
  const limit = maxAge === 0 ? oldAge : maxAge / 86_400 + 1
  if (days <= limit) return []
  const mend = maxAge === 0 ? 'product-templates keys rotate' : 'see the log of the service: it rotates keys'
  return [warning(`the current key is ${days} days old`, mend)]
}
