/**
 * Messages that could not be sent to a webhook. The first message about a template has a time for its next attempt.
 * Later messages about the template have none: they wait until the first one is delivered or dead. `id` is that of a
 * webhook.
 */
import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely'
import type { Db, Transaction } from '../../../db/schema.ts'
import { secondsFromNow, timestamp } from '../../../domain/timestamp.ts'
import { type WebhookTables, withWebhooks } from './tables.ts'

/** A change, as it is sent to a webhook. */
export interface Message {
  /** Place of the change in the feed. */
  position: number
  templateId: number
  /** The JSON that is sent. */
  body: string
}

/** The state of a message that is not delivered. */
export interface Failure {
  /** 0: no attempt yet, because an earlier message about the template waits. */
  attempts: number
  error: string | null
  /** Seconds until the next attempt; null: the message is dead. */
  pause: number | null
}

/** Seconds for which dead messages are kept, to be sent again: 30 days. */
const deadMessageMemory = 2_592_000

const toColumns = ({ attempts, error, pause }: Failure) => ({
  attempts,
  last_error: error,
  ...(attempts > 0 && pause === null
    ? { dead: 1, time_expires: secondsFromNow(deadMessageMemory) }
    : { dead: 0, time_expires: null }),
  time_tried: attempts === 0 ? null : timestamp(),
  time_next: attempts === 0 || pause === null ? null : secondsFromNow(pause)
})

/** Stores messages that were not delivered. */
export async function insertFailed(
  transaction: Transaction,
  id: string,
  failed: (Message & Failure)[]
): Promise<void> {
  if (failed.length === 0) return
  const rows = failed.map(({ position, templateId, body, ...failure }) => ({
    webhook_id: id,
    position,
    template_id: templateId,
    body,
    ...toColumns(failure),
    time_stored: timestamp()
  }))
  await withWebhooks(transaction).insertInto('product_webhook_delivery').values(rows).execute()
  await scheduleFirst(transaction, id, [...new Set(failed.map(({ templateId }) => templateId))])
}

/** Returns which of these templates have waiting messages. */
export async function findBlockedTemplates(db: Db, id: string, templateIds: number[]): Promise<Set<number>> {
  if (templateIds.length === 0) return new Set()
  const rows = await withWebhooks(db)
    .selectFrom('product_webhook_delivery')
    .select('template_id')
    .distinct()
    .where('webhook_id', '=', id)
    .where('dead', '=', 0)
    .where('template_id', 'in', templateIds)
    .execute()
  return new Set(rows.map(({ template_id }) => template_id))
}

/**
 * Seconds before each further attempt, together more than a day. They vary by a tenth, so that retries do not come
 * all at once.
 */
export const pausesSeconds = [5, 30, 300, 1800, 7200, 18_000, 36_000, 36_000]
/** Seconds; longer than any pause. */
const maxPauseSeconds = 1.2 * Math.max(...pausesSeconds)

/** Whether a message is due: its time has come, or is later than after any pause, because a clock was wrong. */
const isDue = ({ or, eb }: ExpressionBuilder<WebhookTables, 'product_webhook_delivery'>) =>
  or([eb('time_next', '<=', timestamp()), eb('time_next', '>', secondsFromNow(maxPauseSeconds))])

/** Lists the ids of the webhooks with a message that is due. */
export async function listDueWebhooks(db: Db): Promise<string[]> {
  const rows = await withWebhooks(db)
    .selectFrom('product_webhook_delivery')
    .select('webhook_id')
    .distinct()
    .where(isDue)
    .execute()
  return rows.map(({ webhook_id }) => webhook_id)
}

export interface StoredMessage extends Message {
  /** Attempts so far. */
  attempts: number
  timeStored: string
}

/** Lists messages that are due, at most one about each template. */
export const listDue = (db: Db, id: string, limit: number): Promise<StoredMessage[]> =>
  withWebhooks(db)
    .selectFrom('product_webhook_delivery')
    .select(['position', 'template_id as templateId', 'body', 'attempts', 'time_stored as timeStored'])
    .where('webhook_id', '=', id)
    .where(isDue)
    .orderBy('time_next')
    .limit(limit)
    .execute()

/** Messages that {@link listFailed} lists. */
export const maxFailed = 20

/** Lists messages that have failed, the latest attempt first. */
export async function listFailed(db: Db, id: string) {
  const rows = await withWebhooks(db)
    .selectFrom('product_webhook_delivery')
    .select(['template_id as templateId', 'attempts', 'dead', 'last_error as error'])
    .select(['time_tried as timeTried', 'time_next as timeNext'])
    .where('webhook_id', '=', id)
    .where('time_tried', 'is not', null)
    .orderBy('time_tried', 'desc')
    .limit(maxFailed)
    .execute()
  return rows.map(({ dead, ...row }) => ({ ...row, dead: dead === 1 }))
}

/** Deletes a message that was delivered, or records its failure. */
export async function recordAttempt(
  transaction: Transaction,
  id: string,
  { position, templateId }: Message,
  failure: Failure | undefined
): Promise<void> {
  const row = expressionBuilder<WebhookTables, 'product_webhook_delivery'>().and({ webhook_id: id, position })
  if (failure)
    await withWebhooks(transaction)
      .updateTable('product_webhook_delivery')
      .set(toColumns(failure))
      .where(row)
      .execute()
  else await withWebhooks(transaction).deleteFrom('product_webhook_delivery').where(row).execute()
  await scheduleFirst(transaction, id, [templateId])
}

/** Makes the first waiting message about each template due, if no attempt is scheduled. */
async function scheduleFirst(transaction: Transaction, id: string, templateIds?: number[]): Promise<void> {
  let first = withWebhooks(transaction)
    .selectFrom('product_webhook_delivery')
    .select(({ fn }) => fn.min('position').as('position'))
    .where('webhook_id', '=', id)
    .where('dead', '=', 0)
    .groupBy('template_id')
  if (templateIds) first = first.where('template_id', 'in', templateIds)
  await withWebhooks(transaction)
    .updateTable('product_webhook_delivery')
    .set({ time_next: timestamp() })
    .where('webhook_id', '=', id)
    .where('time_next', 'is', null)
    .where('position', 'in', first)
    .execute()
}

/** Makes waiting messages due now, with `dead` also dead ones. */
export async function retryMessages(
  transaction: Transaction,
  id: string,
  { dead }: { dead: boolean }
): Promise<void> {
  const rows = withWebhooks(transaction).updateTable('product_webhook_delivery').where('webhook_id', '=', id)
  if (dead)
    await rows
      .set({ dead: 0, attempts: 0, time_stored: timestamp(), time_expires: null })
      .where('dead', '=', 1)
      .execute()
  await rows.set({ time_next: null }).execute()
  await scheduleFirst(transaction, id)
}

/** Deletes the messages after a position. */
export async function deleteAfter(db: Db, id: string, position: number): Promise<void> {
  await withWebhooks(db)
    .deleteFrom('product_webhook_delivery')
    .where('webhook_id', '=', id)
    .where('position', '>', position)
    .execute()
}

/** Counts the waiting and dead messages of each webhook that has any, and reads the error of its last attempt. */
export async function readDeliveryStates(db: Db) {
  const { rows } = await sql<{ id: string; waiting: number; dead: number; lastError: string | null }>`
    select webhook_id as id, count(*) - sum(dead) as waiting, sum(dead) as dead, (
      select last_error from product_webhook_delivery as tried
      where tried.webhook_id = product_webhook_delivery.webhook_id and time_tried is not null
      order by time_tried desc limit 1
    ) as "lastError" from product_webhook_delivery group by webhook_id`.execute(db)
  return rows.map(row => ({ ...row, waiting: Number(row.waiting), dead: Number(row.dead) }))
}
