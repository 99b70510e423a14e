/** The rows of webhooks. Changes by administrators, commands and hosts go through `features/webhooks/webhooks.ts`. */
import { affectsRows } from '../../../db/affects-rows.ts'
import type { Db } from '../../../db/schema.ts'
import { secondsFromNow, timestamp } from '../../../domain/timestamp.ts'
import { tryParseJson } from '../../../runtime/json-values.ts'
import { type WebhookTables, withWebhooks } from './tables.ts'

/** The kinds of changes, as in the `type` of a message. */
export const webhookEvents = ['created', 'updated', 'deleted'] as const

export type WebhookEvent = (typeof webhookEvents)[number]

export type StoredWebhook = ReturnType<typeof toWebhook>

/** Matches no template. */
const nothing = { or: [] }

const toWebhook = (row: WebhookTables['product_webhook']) => ({
  id: row.id,
  url: row.url,
  /** A `where`: the templates whose changes are sent; null: all. One that cannot be read sends nothing. */
  where: row.template_where === null ? null : ((tryParseJson(row.template_where) ?? nothing) as object),
  events: row.events.split(' ') as WebhookEvent[],
  disabled: row.time_disabled !== null,
  /** Why the service disabled the webhook; null: the service did not disable it. */
  disabledBecause: row.disabled_because,
  timeCreated: row.time_created,
  timeModified: row.time_modified,
  position: row.position,
  /** The keys that sign, the current one first. They may be encrypted. */
  secrets: [
    row.secret,
    ...(row.previous_secret !== null && (row.time_previous_expires ?? '') > timestamp()
      ? [row.previous_secret]
      : [])
  ]
})

/** The properties of a webhook that can change. */
type WebhookValues = Partial<Pick<StoredWebhook, 'url' | 'where' | 'events' | 'disabled' | 'disabledBecause'>>

/** Converts properties to columns. Undefined columns stay as they are. */
const toColumns = ({ url, where, events, disabled, disabledBecause }: WebhookValues) => ({
  url,
  events: events?.join(' '),
  template_where: where ? JSON.stringify(where) : where,
  ...(disabled !== undefined && {
    time_disabled: disabled ? timestamp() : null,
    disabled_because: disabledBecause ?? null
  }),
  time_modified: timestamp()
})

/** Lists all webhooks, oldest first. */
export async function listStoredWebhooks(db: Db): Promise<StoredWebhook[]> {
  const rows = await withWebhooks(db)
    .selectFrom('product_webhook')
    .selectAll()
    .orderBy('time_created')
    .orderBy('id')
    .execute()
  return rows.map(toWebhook)
}

export async function findStoredWebhook(db: Db, id: string): Promise<StoredWebhook | undefined> {
  const row = await withWebhooks(db)
    .selectFrom('product_webhook')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toWebhook(row)
}

export async function insertWebhook(
  db: Db,
  {
    where,
    events,
    ...webhook
  }: Pick<StoredWebhook, 'id' | 'url' | 'where' | 'events' | 'position'> & {
    secret: string
  }
): Promise<void> {
  const columns = { template_where: where && JSON.stringify(where), events: events.join(' ') }
  const now = timestamp()
  await withWebhooks(db)
    .insertInto('product_webhook')
    .values({ ...webhook, ...columns, time_created: now, time_modified: now })
    .execute()
}

/** Changes the given properties. */
export async function updateStoredWebhook(db: Db, id: string, values: WebhookValues): Promise<void> {
  await withWebhooks(db).updateTable('product_webhook').set(toColumns(values)).where('id', '=', id).execute()
}

/** Replaces the secret. For `overlap` seconds, the old secret also signs. */
export async function updateWebhookSecret(
  db: Db,
  id: string,
  secret: string,
  overlap: number
): Promise<void> {
  await withWebhooks(db)
    .updateTable('product_webhook')
    .set(({ ref }) => ({
      secret,
      previous_secret: overlap === 0 ? null : ref('secret'),
      time_previous_expires: overlap === 0 ? null : secondsFromNow(overlap),
      time_modified: timestamp()
    }))
    .where('id', '=', id)
    .execute()
}

/** Deletes a webhook and its messages. */
export async function deleteWebhook(db: Db, id: string): Promise<void> {
  // A host's own SQLite connection may have foreign keys switched off.
  await withWebhooks(db).deleteFrom('product_webhook_delivery').where('webhook_id', '=', id).execute()
  await withWebhooks(db).deleteFrom('product_webhook').where('id', '=', id).execute()
}

/** Moves a webhook in the feed. Returns false if it was changed, or moved by another process. */
export const movePosition = (
  db: Db,
  { id, timeModified }: StoredWebhook,
  from: number,
  to: number
): Promise<boolean> =>
  affectsRows(
    withWebhooks(db)
      .updateTable('product_webhook')
      .set({ position: to })
      .where('id', '=', id)
      .where('position', '=', from)
      .where('time_modified', '=', timeModified)
  )
