import type { Db } from '../../../db/schema.ts'

export type WebhookTables = {
  /** URLs to which changes are sent. */
  product_webhook: {
    id: string
    url: string
    /** A `where` as JSON: the templates whose changes are sent; null: all. */
    template_where: string | null
    /** `created`, `updated`, `deleted`, separated by spaces. */
    events: string
    /** The key that signs messages: a JWK, RFC 7517, or the JWE of one. */
    secret: string
    /** The previous key, which also signs until `time_previous_expires`; null: none. */
    previous_secret: string | null
    time_previous_expires: string | null
    /** The last change of the feed that was sent or is in `product_webhook_delivery`. */
    position: number
    /** Why the service disabled the webhook; null: the service did not disable it. */
    disabled_because: string | null
    time_created: string
    /** Moving the position does not count. */
    time_modified: string
    /** When the webhook was disabled; null: changes are sent. */
    time_disabled: string | null
  }
  /** Messages that could not be sent, and messages about the same template, which wait for them. */
  product_webhook_delivery: {
    webhook_id: string
    /** Place of the change in the feed. */
    position: number
    template_id: number
    /** The JSON that is sent. */
    body: string
    attempts: number
    /** 1: the service has given up, and no other message waits for this one. */
    dead: number
    last_error: string | null
    /** When the message was stored, or when a replay began to try it again. */
    time_stored: string
    time_tried: string | null
    /** The next attempt; null: the message is dead, or waits for an earlier one about its template. */
    time_next: string | null
    /** When a dead message is deleted; null: the message is not dead. */
    time_expires: string | null
  }
  /** One row. The process that sends changes writes a new random beat every second; empty: no process sends. */
  product_webhook_leader: {
    beat: string
  }
}

/** The database with the tables of webhooks. */
export const withWebhooks = (db: Db) => db.withTables<WebhookTables>()
