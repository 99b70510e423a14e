import { counter, gauge, histogram } from '../../runtime/metrics/definitions.ts'
import type { Feature } from '../feature.ts'

const auditActions = {
  'webhook.add': { label: 'added a webhook', verb: 'added the webhook' },
  'webhook.update': { label: 'changed a webhook', verb: 'changed the webhook' },
  'webhook.rotate_secret': {
    label: 'replaced the secret of a webhook',
    verb: 'replaced the secret of the webhook'
  },
  'webhook.replay': { label: 'sent changes again', verb: 'had changes sent again to the webhook' },
  'webhook.disable': { label: 'disabled a webhook', verb: 'disabled the webhook' },
  'webhook.enable': { label: 'enabled a webhook', verb: 'enabled the webhook' },
  'webhook.delete': { label: 'deleted a webhook', verb: 'deleted the webhook' },
  'webhook.reencrypt': {
    label: 'encrypted the secrets of webhooks anew',
    verb: 'encrypted anew the secret of the webhook'
  }
}

export type WebhookAction = keyof typeof auditActions

const metrics = {
  webhooks_served: gauge('webhooks to which this process sends changes; only one process sends'),
  webhook_behind: gauge('unprocessed changes of the webhook that is furthest behind'),
  webhook_messages: gauge('messages awaiting a retry, and messages that were given up (`dead`)', ['state']),
  webhook_attempts_total: counter('attempts to send a message, by outcome', ['outcome']),
  webhook_attempt_duration_seconds: histogram('time from the start of an attempt to the response')
}

export type WebhookMetric = keyof typeof metrics

/** Webhooks, to which the service sends changes of templates. */
export const webhooks: Feature = {
  tables: {
    product_webhook: {
      key: ['id'],
      previousSecret: 'previous_secret',
      sealed: { columns: ['secret', 'previous_secret'], action: 'webhook.reencrypt' }
    },
    product_webhook_delivery: { key: ['webhook_id', 'position'], longColumn: 'body', expires: true },
    product_webhook_leader: { key: ['beat'], isLocal: true }
  },
  migrations: { 'webhooks/0001-initial': () => import('./migration.ts') },
  auditActions,
  metrics,
  commands: { webhook: () => import('./command.ts') },
  schema: () => import('./resolvers.ts'),
  server: () => import('./server.ts')
}
