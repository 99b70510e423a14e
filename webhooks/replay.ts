import { noActor } from '../db/audit/record.ts'
import { fromChangeCursor } from '../db/cursors.ts'
import type { Db } from '../db/schema.ts'
import { findLastPosition, findPositionAt } from '../db/templates/changes/changes.ts'
import { toStoredTime } from '../db/timestamp.ts'
import { deleteAfter, tryAgain } from '../db/webhooks/deliveries.ts'
import { movePosition, updateStoredWebhook } from '../db/webhooks/webhooks.ts'
import { ArgumentError } from '../errors.ts'
import { changeWebhook } from './webhooks.ts'

/**
 * Sends messages again. With `since`: all changes after a cursor of the feed, since a time, or from the `start`. With
 * `dead`: the messages that were given up. Without options: the waiting messages, now.
 */
export async function replayWebhook(
  db: Db,
  id: string,
  { since, dead = false }: { since?: string; dead?: boolean } = {},
  actor = noActor
): Promise<void> {
  const target = since === undefined ? undefined : await findStart(db, since)
  const details = () => ({ ...(since !== undefined && { since }), dead })
  await changeWebhook(db, id, ['webhook.replay', actor, details], async (transaction, webhook) => {
    if (target !== undefined && target < webhook.position) {
      await movePosition(transaction, webhook, webhook.position, target)
      await deleteAfter(transaction, id, target)
    }
    if (target === undefined || dead) await tryAgain(transaction, id, { dead })
    // The changed row makes the dispatcher start a new courier.
    await updateStoredWebhook(transaction, id, {})
  })
}

async function findStart(db: Db, since: string): Promise<number> {
  const time = toStoredTime(since)
  const position = since === 'start' ? 0 : time ? await findPositionAt(db, time) : fromChangeCursor(since)
  if (position === undefined || position > (await findLastPosition(db)))
    throw new ArgumentError(
      'since must be start, a time such as 2026-11-02T09:30:00Z, or a cursor of the feed'
    )
  return position
}
