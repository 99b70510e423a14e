import { toChangeCursor } from '../db/cursors.ts'
import type { Db } from '../db/schema.ts'
import type { Change } from '../db/templates/changes/changes.ts'
import { seenChanges } from '../db/templates/changes/changes.ts'
import { unmetered } from '../db/templates/meter.ts'
import { readRule } from '../db/templates/rule.ts'
import { formatHash } from '../db/templates/table/document.ts'
import type { Message } from '../db/webhooks/deliveries.ts'
import type { StoredWebhook, WebhookEvent } from '../db/webhooks/webhooks.ts'

const eventOf: Record<Change['action'], WebhookEvent> = {
  INSERT: 'created',
  UPDATE: 'updated',
  DELETE: 'deleted'
}

/** Makes the messages for the changes that a webhook wants, by its rule and its events. */
export async function toMessages(
  db: Db,
  { where, events }: StoredWebhook,
  changes: Change[]
): Promise<Message[]> {
  const seen = where ? await seenChanges(db, readRule(where), changes, unmetered()) : changes
  return seen.filter(({ action }) => events.includes(eventOf[action])).map(toMessage)
}

/** Makes the message of a change, in the form of https://www.standardwebhooks.com. */
function toMessage({ position, id, revision, action, hash, time }: Change): Message {
  const data = { id, revision, hash: hash && formatHash(hash), cursor: toChangeCursor(position) }
  const body = JSON.stringify({ type: `product.${eventOf[action]}`, timestamp: time, data })
  return { position, templateId: id, body }
}
