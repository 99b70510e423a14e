import { randomBytes } from 'node:crypto'
import { type KeySecrets, openKey, sealKey } from '../credentials/signing-key.ts'

/**
 * Generates a secret, https://www.standardwebhooks.com: 256 random bits. The receiver must know it, and the service has to
 * sign with it, so a hash would not do.
 */
export const generateWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Makes the stored form of a secret: a JWK, encrypted like the signing keys if there is a secret for them. */
export const sealWebhookSecret = (secret: string, { keyEncryptionSecret }: KeySecrets): Promise<string> =>
  sealKey({ kty: 'oct', k: toKey(secret).toString('base64url') }, keyEncryptionSecret)

/** Opens stored secrets; returns the keys. Throws StartError if no secret decrypts them. */
export const openWebhookSecrets = (stored: string[], secrets: KeySecrets): Promise<Buffer[]> =>
  Promise.all(
    stored.map(async each => {
      const { k } = (await openKey(each, secrets)) as { k: string }
      return Buffer.from(k, 'base64url')
    })
  )

const toKey = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64')
