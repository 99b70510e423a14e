import { randomBytes } from 'node:crypto'
import { type KeySecrets, openKey, sealKey } from '../credentials/signing-key.ts'

/**
 * Generates a secret of 256 random bits, https://www.standardwebhooks.com. The service signs with it, so the database
 * needs more than a hash: `sealed` is a JWK, encrypted like the signing keys if KEY_ENCRYPTION_SECRET is set.
 */
export async function generateWebhookSecret({ keyEncryptionSecret }: KeySecrets) {
  const key = randomBytes(32)
  const sealed = await sealKey({ kty: 'oct', k: key.toString('base64url') }, keyEncryptionSecret)
  return { secret: `whsec_${key.toString('base64')}`, sealed }
}

/** Decrypts stored secrets and returns the keys. Throws StartError if no secret decrypts them. */
export const openWebhookSecrets = (stored: string[], secrets: KeySecrets): Promise<Buffer[]> =>
  Promise.all(
    stored.map(async each => {
      const { k } = (await openKey(each, secrets)) as { k: string }
      return Buffer.from(k, 'base64url')
    })
  )
