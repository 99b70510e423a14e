import { createHmac, hash } from 'node:crypto'
import type { Change } from '../db/templates/revisions/changes.ts'
import { toChangeCursor } from '../db/templates/revisions/cursors.ts'
import { formatHash } from '../db/templates/table/document.ts'
import type { Message } from '../db/webhooks/deliveries.ts'
import type { WebhookEvent } from '../db/webhooks/webhooks.ts'

export const eventOf: Record<Change['action'], WebhookEvent> = {
  INSERT: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted'
}

/** Tells of a change, in the form of https://www.standardwebhooks.com. */
export function toMessage({ position, id, revision, action, hash, time }: Change): Message {
  const data = { id, revision, hash: hash && formatHash(hash), cursor: toChangeCursor(position) }
  const body = JSON.stringify({ type: `product.${eventOf[action]}`, timestamp: time, data })
  return { position, templateId: id, body }
}

/**
 * Makes the headers of a message. Its id is the same whenever it is sent to this webhook. It comes from the contents: after
 * a restore of a backup, another change may get the same place in the feed.
 */
export function signMessage(webhookId: string, body: string, keys: Buffer[]): Record<string, string> {
  const id = `msg_${hash('sha256', `${webhookId} ${body}`, 'base64url').slice(0, 24)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const content = `${id}.${timestamp}.${body}`
  const signatures = keys.map(key => `v1,${createHmac('sha256', key).update(content).digest('base64')}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' ')
  }
}
