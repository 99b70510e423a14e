import type { Test } from 'tap'
import type { Db } from '../../../db/schema.ts'
import type { ServiceOptions } from '../../../index.ts'
import { type Webhook, webhooks } from '../../../store.ts'
import { remember } from '../../../test/support/service/secrets.ts'
import { service } from '../../../test/support/service/service.ts'
import { withWebhooks } from '../rows/tables.ts'

export const start = (t: Test, options: ServiceOptions = {}) =>
  service(t, { privateNetworks: '127.0.0.0/8', ...options })

export async function add(db: Db, url: string, more: Partial<Parameters<typeof webhooks.add>[1]> = {}) {
  const { webhook, secret } = await webhooks.add(db, { url, ...more })
  return { id: webhook.id, secret: remember(secret) }
}

export const change = (db: Db, id: number, values: { name?: string; component_name?: string }) =>
  db.updateTable('product_template').set(values).where('id', '=', id).execute()

export const state = async (db: Db, id: string): Promise<Webhook> => (await webhooks.find(db, id)) as Webhook

/** Lets everything that waits be tried now. */
export const now = (db: Db) =>
  withWebhooks(db)
    .updateTable('product_webhook_delivery')
    .set({ time_next: '2026-01-01T00:00:00.000000Z' })
    .where('time_next', 'is not', null)
    .execute()
