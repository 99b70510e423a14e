/** Makes the messages of a webhook from changes, signs them and sends them. */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { type KeySecrets, openKey, sealKey } from '../../accounts/credentials/signing-key.ts'
import { toChangeCursor } from '../../db/cursors.ts'
import type { Change } from '../../db/templates/changes/changes.ts'
import type { ChangeFeed } from '../../db/templates/changes/feed.ts'
import { readRule } from '../../db/templates/rule.ts'
import { formatHash } from '../../domain/document.ts'
import { readAll, sendRequest, toBlockList } from '../../runtime/outgoing.ts'
import type { Message } from './rows/deliveries.ts'
import type { StoredWebhook, WebhookEvent } from './rows/webhooks.ts'

const eventOf: Record<Change['action'], WebhookEvent> = {
  INSERT: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted'
}

/** Makes the messages for the changes that a webhook wants, by its rule and its events. */
export async function toMessages(
  feed: ChangeFeed,
  { where, events }: StoredWebhook,
  changes: Change[],
  signal: AbortSignal
): Promise<Message[]> {
  const seen = where ? await feed.selectVisible(readRule(where).filter, changes, signal) : changes
  return seen.filter(({ action }) => events.includes(eventOf[action])).map(toMessage)
}

/** Makes the message of a change, in the form of https://www.standardwebhooks.com. */
function toMessage({ position, id, revision, action, hash, time }: Change): Message {
  const data = { id, revision, hash: hash && formatHash(hash), cursor: toChangeCursor(position) }
  const body = JSON.stringify({ type: `product.${eventOf[action]}`, timestamp: time, data })
  return { position, templateId: id, body }
}

export interface WebhookSettings extends KeySecrets {
  /** Networks that are allowed, although they are not public. */
  privateNetworks?: string | undefined
  /** Milliseconds for the answer, at most 10 seconds, which is the default. */
  answerTimeoutMs?: number
}

const maxAnswerTimeoutMs = 10_000
/** Some bytes of the body of an answer are read, so that the connection ends well. */
const maxAnswerBytes = 4096

export interface WebhookResponse {
  /** undefined if the receiver did not answer. */
  status?: number
  /** Why the message does not count as delivered; null if it was delivered. */
  error: string | null
  /** Seconds after which the receiver asks for another attempt, RFC 9110 §10.2.3. */
  retryAfter?: number
}

/** Sends a message once. Redirects are not followed. Rejects only with the reason of the signal. */
type SendMessage = (body: string, closing: AbortSignal) => Promise<WebhookResponse>

/** Opens the secrets of a webhook, which may take 0.1 s. Throws StartError if no configured secret decrypts them. */
export async function openMessageSender(
  { id, url, secrets }: StoredWebhook,
  { privateNetworks = '', answerTimeoutMs = maxAnswerTimeoutMs, ...settings }: WebhookSettings
): Promise<SendMessage> {
  const keys = await openWebhookSecrets(secrets, settings)
  const allowed = toBlockList(privateNetworks)
  return async (body, closing) => {
    const signal = AbortSignal.any([
      closing,
      AbortSignal.timeout(Math.min(answerTimeoutMs, maxAnswerTimeoutMs))
    ])
    const headers = makeHeaders(id, body, keys)
    try {
      const response = await sendRequest(new URL(url), { method: 'POST', headers, body, allowed, signal })
      // In the background. A longer body is cut off.
      readAll(response, maxAnswerBytes).catch(() => {})
      const { statusCode: status = 0 } = response
      const retryAfter = readRetryAfter(response.headers['retry-after'])
      if (status >= 200 && status <= 299) return { status, error: null }
      return {
        status,
        error: `the receiver answered with ${status}`,
        ...(retryAfter !== undefined && { retryAfter })
      }
    } catch (error) {
      closing.throwIfAborted()
      return {
        error: signal.aborted ? 'the receiver did not answer in time' : (error as Error).message.slice(0, 200)
      }
    }
  }
}

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
const openWebhookSecrets = (stored: string[], secrets: KeySecrets): Promise<Buffer[]> =>
  Promise.all(
    stored.map(async each => {
      const { k } = (await openKey(each, secrets)) as { k: string }
      return Buffer.from(k, 'base64url')
    })
  )

/**
 * Makes the headers of a message. The id is the same for every attempt at this webhook. It derives from the contents,
 * because after a backup is restored, another change may get the same position in the feed.
 */
function makeHeaders(webhookId: string, body: string, keys: Buffer[]) {
  const id = `msg_${hash('sha256', `${webhookId} ${body}`, 'base64url').slice(0, 24)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const content = `${id}.${timestamp}.${body}`
  const signatures = keys.map(key => `v1,${createHmac('sha256', key).update(content).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'product-templates'
  }
}

/** Converts Retry-After to seconds. The header has seconds or a date. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return seconds > 0 ? seconds : undefined
}
