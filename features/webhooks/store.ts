import * as functions from './webhooks.ts'

export type { Webhook } from './webhooks.ts'

/**
 * Webhooks. The functions reject like those of `users`. The functions that store or use secrets take
 * `keyEncryptionSecret`, like the service.
 */
export const webhooks = {
  /** Adds a webhook for all later changes, and resolves to it and its secret. */
  add: functions.addWebhook,
  /** Finds a webhook by its id, with the state of its deliveries. */
  find: functions.findWebhook,
  /** Lists all webhooks, oldest first. */
  list: functions.listWebhooks,
  /** Changes the URL, the rule or the events, and resolves to the webhook. */
  update: functions.updateWebhook,
  /** Replaces the secret and resolves to the new one. For `overlap` seconds, messages are signed with both secrets. */
  rotateSecret: functions.rotateWebhookSecret,
  /** Sends a test message, and resolves to the receiver's answer. */
  test: functions.testWebhook,
  /** Sends messages again: dead ones, or all since a time. Without options, retries waiting messages now. */
  replay: functions.replayWebhook,
  /** Deletes a webhook and its waiting messages. */
  delete: functions.deleteWebhook,
  /** Disables a webhook. Nothing is sent, and no change is lost. */
  disable: functions.disableWebhook,
  /** Enables a webhook. It continues where it stopped. */
  enable: functions.enableWebhook
}
