import { randomBytes } from 'node:crypto'
import { type KeySecrets, openKey, sealKey } from '../credentials/signing-key.ts'

/**
 * Generates a secret of 256 random bits, https://www.standardwebhooks.com. The service signs with it, so the database
 * needs the secret and not only a hash.
 */
export const generateWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Converts a secret to its stored form: a JWK, encrypted like the signing keys if KEY_ENCRYPTION_SECRET is set. */
export const sealWebhookSecret = (secret: string, { keyEncryptionSecret }: KeySecrets): Promise<string> =>
  sealKey({ kty: 'oct', k: toKey(secret).toString('base64url') }, keyEncryptionSecret)

/** Decrypts stored secrets and returns the keys. Throws StartError if no secret decrypts them. */
export const openWebhookSecrets = (stored: string[], secrets: KeySecrets): Promise<Buffer[]> =>
  Promise.all(
    stored.map(async each => {
      const { k } = (await openKey(each, secrets)) as { k: string }
      return Buffer.from(k, 'base64url')
    })
  )

const toKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64')
