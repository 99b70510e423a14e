/** Webhooks, as administrators, commands and hosts change them: checked, and recorded in the audit trail. */
import { randomBytes } from 'node:crypto'
import { checkOverlap } from '../../accounts/credentials/overlap.ts'
import type { KeySecrets } from '../../accounts/credentials/signing-key.ts'
import { type AuditActor, makeAuditedChange, noActor, recordEvent } from '../../db/audit/record.ts'
import { fromChangeCursor } from '../../db/cursors.ts'
import type { Db } from '../../db/schema.ts'
import {
  findLastPosition,
  releaseAllChanges,
  tryToReleaseChanges
} from '../../db/templates/changes/changes.ts'
import { transact } from '../../db/transaction.ts'
import { toStoredTime } from '../../domain/timestamp.ts'
import { ArgumentError, StoreError } from '../../runtime/host-errors.ts'
import type { WebhookAction } from './index.ts'
import { checkWebhook, NewWebhook, WebhookChange } from './input.ts'
import { deleteAfter, readDeliveryStates, retryMessages } from './rows/deliveries.ts'
import * as stored from './rows/webhooks.ts'
import { type StoredWebhook, webhookEvents } from './rows/webhooks.ts'
import {
  generateWebhookSecret,
  openMessageSender,
  type WebhookResponse,
  type WebhookSettings
} from './send.ts'

/** A webhook, and the state of its deliveries. */
export interface Webhook extends Omit<StoredWebhook, 'secrets' | 'position' | 'timeModified'> {
  /** Number of changes in the feed after its position. */
  behind: number
  /** Number of messages awaiting a retry, or queued behind one. */
  waiting: number
  /** Number of messages that were given up. */
  dead: number
  /** Error of the latest failed message. */
  lastError: string | null
}

/** Maximum number of webhooks, which limits the connections, because each webhook has its own. */
const maxWebhooks = 100
/** Seconds for which an old secret also signs by default. */
export const defaultOverlap = 86_400

/**
 * Adds a webhook for all changes from now on, unless `where` or `events` select some. Returns its secret, which is
 * shown only once. Rejects with ArgumentError for wrong values.
 */
export async function addWebhook(
  db: Db,
  given: NewWebhook,
  secrets: KeySecrets = {},
  actor: AuditActor
): Promise<{ webhook: Webhook; secret: string }> {
  const { url, where = null, events = [...webhookEvents] } = checkWebhook(NewWebhook, given)
  const { secret, sealed } = await generateWebhookSecret(secrets)
  const position = await releaseAllChanges(db)
  const id = `wh_${randomBytes(8).toString('hex')}`
  await transact(db, async transaction => {
    if ((await stored.listStoredWebhooks(transaction)).length >= maxWebhooks)
      throw new ArgumentError(`there may be at most ${maxWebhooks} webhooks`)
    await stored.insertWebhook(transaction, { id, url, where, events, secret: sealed, position })
    await recordEvent<WebhookAction>(
      transaction,
      actor,
      'webhook.add',
      { id },
      omitPath({ url, where, events })
    )
  })
  return { webhook: await requireWebhook(db, id), secret }
}

/** Lists all webhooks, oldest first. Releases changes first, if it can write, so that `behind` counts them. */
export async function listWebhooks(db: Db): Promise<Webhook[]> {
  const states = await readDeliveryStates(db)
  await tryToReleaseChanges(db)
  const latest = await findLastPosition(db)
  return (await stored.listStoredWebhooks(db)).map(
    ({ secrets: _, timeModified: _modified, position, ...webhook }) => {
      const { waiting = 0, dead = 0, lastError = null } = states.find(({ id }) => id === webhook.id) ?? {}
      return { ...webhook, behind: Math.max(0, latest - position), waiting, dead, lastError }
    }
  )
}

export const findWebhook = async (db: Db, id: string): Promise<Webhook | undefined> =>
  (await listWebhooks(db)).find(webhook => webhook.id === id)

/** Finds a webhook. Rejects with StoreError if there is no such webhook. */
export async function requireWebhook(db: Db, id: string): Promise<Webhook> {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw missing(id)
  return webhook
}

/** Changes the given values. Waiting messages go to the new address. Rejects like {@link addWebhook}. */
export async function updateWebhook(
  db: Db,
  id: string,
  given: WebhookChange,
  actor: AuditActor
): Promise<Webhook> {
  const values = checkWebhook(WebhookChange, given)
  await changeWebhook(db, id, ['webhook.update', actor, () => omitPath(values)], transaction =>
    stored.updateStoredWebhook(transaction, id, values)
  )
  return requireWebhook(db, id)
}

/** Makes the values for the audit trail. They have only the origin of the URL, because the rest is often a secret. */
const omitPath = ({ url, ...values }: WebhookChange): object => ({
  ...(url !== undefined && { origin: new URL(url).origin }),
  ...values
})

/** Disables a webhook. Nothing is sent, and no change is lost. */
export const disableWebhook = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.disable', actor], transaction =>
    stored.updateStoredWebhook(transaction, id, { disabled: true })
  )

/** Disables a webhook for the service itself, after its receiver answered that it is gone. */
export const disableGoneWebhook = (db: Db, id: string, disabledBecause: string): Promise<void> =>
  transact(db, async transaction => {
    const webhook = await stored.findStoredWebhook(transaction, id)
    // Several messages may get that answer at the same time.
    if (!webhook || webhook.disabled) return
    await recordEvent<WebhookAction>(transaction, noActor, 'webhook.disable', { id }, { disabledBecause })
    await stored.updateStoredWebhook(transaction, id, { disabled: true, disabledBecause })
  })

/** Enables a webhook. It continues where it stopped. */
export const enableWebhook = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.enable', actor], transaction =>
    stored.updateStoredWebhook(transaction, id, { disabled: false })
  )

/** Deletes a webhook and its waiting messages. */
export const deleteWebhook = (db: Db, id: string, actor: AuditActor): Promise<void> =>
  changeWebhook(db, id, ['webhook.delete', actor], transaction => stored.deleteWebhook(transaction, id))

/** Replaces the secret of a webhook and returns the new one. For `overlap` seconds, both sign messages. */
export async function rotateWebhookSecret(
  db: Db,
  id: string,
  { overlap = defaultOverlap, ...secrets }: KeySecrets & { overlap?: number } = {},
  actor: AuditActor
): Promise<string> {
  checkOverlap(overlap)
  const { secret, sealed } = await generateWebhookSecret(secrets)
  await changeWebhook(db, id, ['webhook.rotate_secret', actor, () => ({ overlap })], transaction =>
    stored.updateWebhookSecret(transaction, id, sealed, overlap)
  )
  return secret
}

/**
 * Sends messages again. With `since`: all changes after a cursor of the feed, since a time, or from the `start`. With
 * `dead`: the messages that were given up. Without options: the waiting messages, now.
 */
export async function replayWebhook(
  db: Db,
  id: string,
  { since, dead = false }: { since?: string; dead?: boolean } = {},
  actor: AuditActor
): Promise<void> {
  const target = since === undefined ? undefined : await findReplayStart(db, since)
  const details = () => ({ ...(since !== undefined && { since }), dead })
  await changeWebhook(db, id, ['webhook.replay', actor, details], async (transaction, webhook) => {
    if (target !== undefined && target < webhook.position) {
      await stored.movePosition(transaction, webhook, webhook.position, target)
      await deleteAfter(transaction, id, target)
    }
    if (target === undefined || dead) await retryMessages(transaction, id, { dead })
    // The changed row makes the dispatcher start a new sender.
    await stored.updateStoredWebhook(transaction, id, {})
  })
}

async function findReplayStart(db: Db, since: string): Promise<number> {
  const time = toStoredTime(since)
  const position = since === 'start' ? 0 : time ? await findPositionAt(db, time) : fromChangeCursor(since)
  if (position === undefined || position > (await findLastPosition(db))) {
    const message = 'since must be start, a time such as 2026-11-02T09:30:00Z, or a cursor of the feed'
    throw new ArgumentError(message, [{ name: 'since', message }])
  }
  return position
}

/** Returns the position before the first change recorded at a time or later; the last one if there is none. */
async function findPositionAt(db: Db, time: string): Promise<number> {
  const { first } = await db
    .selectFrom('product_revision')
    .select(({ fn }) => fn.min('position').as('first'))
    .where('time_recorded', '>=', time)
    .executeTakeFirstOrThrow()
  return first === null ? findLastPosition(db) : first - 1
}

/** Sends a message of the type `webhook.test` once, and returns the answer. */
export async function testWebhook(
  db: Db,
  id: string,
  settings: WebhookSettings = {}
): Promise<WebhookResponse> {
  const webhook = await requireStored(db, id)
  const send = await openMessageSender(webhook, settings)
  const body = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} })
  return send(body, new AbortController().signal)
}

async function requireStored(db: Db, id: string): Promise<StoredWebhook> {
  const webhook = await stored.findStoredWebhook(db, id)
  if (!webhook) throw missing(id)
  return webhook
}

const missing = (id: string) => new StoreError('PTS_WEBHOOK_MISSING', `there is no webhook ${id}`, 'webhook')

/** Changes a webhook and records the change in the audit trail. Rejects with StoreError if there is no such webhook. */
const changeWebhook = makeAuditedChange<StoredWebhook, WebhookAction>(requireStored)
