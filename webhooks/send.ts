import { createHmac, hash } from 'node:crypto'
import type { KeySecrets } from '../credentials/signing-key.ts'
import type { StoredWebhook } from '../db/webhooks/webhooks.ts'
import { readAll, sendRequest, toBlockList } from '../outgoing.ts'
import { openWebhookSecrets } from './secrets.ts'

export interface WebhookSettings extends KeySecrets {
  /** Networks that are allowed, although they are not public. */
  webhookPrivateNetworks?: string | undefined
}

/**
 * Maximum milliseconds for the receiver's answer. Its body is read up to a number of bytes, so that the connection
 * ends well.
 */
const answerTimeoutMs = 10_000
const maxAnswerBytes = 4096

/** The answer of a receiver. */
export interface Answer {
  /** undefined if the receiver did not answer. */
  status?: number
  /** Why the message does not count as delivered; null if it was delivered. */
  error: string | null
  /** Seconds after which the receiver asks for another attempt, RFC 9110 §10.2.3. */
  retryAfter?: number
}

/** Sends a message once. Redirects are not followed. Rejects only with the reason of the signal. */
export type Send = (body: string, closing: AbortSignal) => Promise<Answer>

/** Opens the secrets of a webhook, which may take 0.1 s. Throws StartError if no secret of the settings decrypts them. */
export async function openSender(
  { id, url, secrets }: StoredWebhook,
  { webhookPrivateNetworks = '', ...settings }: WebhookSettings
): Promise<Send> {
  const keys = await openWebhookSecrets(secrets, settings)
  const allowed = toBlockList(webhookPrivateNetworks)
  return async (body, closing) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)])
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
