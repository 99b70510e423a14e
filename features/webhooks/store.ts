import type { KeySecrets } from '../../accounts/credentials/signing-key.ts'
import { noActor } from '../../db/audit/record.ts'
import type { Db } from '../../db/schema.ts'
import type { NewWebhook, WebhookChange } from './input.ts'
import * as functions from './webhooks.ts'

export type { Webhook } from './webhooks.ts'

/**
 * Webhooks. The functions reject like those of `users`. The functions that store or use secrets take
 * `keyEncryptionSecret`, like the service.
 */
export const webhooks = {
  /** Adds a webhook for all later changes, and resolves to it and its secret. */
  add: (db: Db, webhook: NewWebhook, secrets?: KeySecrets, actor = noActor) =>
    functions.addWebhook(db, webhook, secrets, actor),
  /** Finds a webhook by its id, with the state of its deliveries. */
  find: functions.findWebhook,
  /** Lists all webhooks, oldest first. */
  list: functions.listWebhooks,
  /** Changes the URL, the rule or the events, and resolves to the webhook. */
  update: (db: Db, id: string, values: WebhookChange, actor = noActor) =>
    functions.updateWebhook(db, id, values, actor),
  /** Replaces the secret and resolves to the new one. For `overlap` seconds, messages are signed with both secrets. */
  rotateSecret: (db: Db, id: string, options?: KeySecrets & { overlap?: number }, actor = noActor) =>
    functions.rotateWebhookSecret(db, id, options, actor),
  /** Sends a test message, and resolves to the receiver's answer. */
  test: functions.testWebhook,
  /** Sends messages again: dead ones, or all since a time. Without options, retries waiting messages now. */
  replay: (db: Db, id: string, options?: { since?: string; dead?: boolean }, actor = noActor) =>
    functions.replayWebhook(db, id, options, actor),
  /** Deletes a webhook and its waiting messages. */
  delete: (db: Db, id: string, actor = noActor) => functions.deleteWebhook(db, id, actor),
  /** Disables a webhook. Nothing is sent, and no change is lost. */
  disable: (db: Db, id: string, actor = noActor) => functions.disableWebhook(db, id, actor),
  /** Enables a webhook. It continues where it stopped. */
  enable: (db: Db, id: string, actor = noActor) => functions.enableWebhook(db, id, actor)
}
