import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../../db/schema.ts'
import { findLastPosition } from '../../db/templates/changes/changes.ts'
import type { ChangeFeed } from '../../db/templates/changes/feed.ts'
import type { MetricValues } from '../../runtime/metrics/definitions.ts'
import type { Metrics } from '../../runtime/metrics/metrics.ts'
import { openAttempts } from './attempts.ts'
import type { WebhookMetric } from './index.ts'
import { listDueWebhooks, readDeliveryStates } from './rows/deliveries.ts'
import { Leadership } from './rows/leader.ts'
import { listStoredWebhooks, type StoredWebhook } from './rows/webhooks.ts'
import type { WebhookSettings } from './send.ts'
import { WebhookSender } from './webhook-sender.ts'

interface DispatcherTools {
  db: Db
  feed: ChangeFeed
  metrics: Metrics
  log: FastifyBaseLogger
  settings: WebhookSettings
}

/** Runs a sender for each webhook while this process is the leader. */
export class Dispatcher {
  readonly #tools: DispatcherTools
  readonly #leadership: Leadership
  readonly #senders = new Map<string, WebhookSender>()
  #leaveFeed: (() => void) | undefined

  constructor(tools: DispatcherTools) {
    this.#tools = tools
    this.#leadership = new Leadership(tools.db)
  }

  /** Renews the leadership, updates the senders and retries due messages. Without webhooks, it only looks for them. */
  async runRound(): Promise<void> {
    const { db, feed } = this.#tools
    const enabled = await listEnabled(db)
    const served = enabled.length > 0 && (await this.#leadership.renew()) ? enabled : []
    await this.#endOthers(served)
    if (served.length === 0) return
    this.#leaveFeed ??= feed.open()
    for (const webhook of served)
      if (!this.#senders.has(webhook.id)) this.#senders.set(webhook.id, this.#begin(webhook))
    for (const id of await listDueWebhooks(db)) this.#senders.get(id)?.retry()
  }

  /** Ends all senders and the leadership, so that another process can continue at once. */
  async close(): Promise<void> {
    await this.#endOthers([])
    // If this fails, another process takes over a little later.
    await this.#leadership.release().catch(() => {})
  }

  report(err: unknown, webhook?: string): void {
    this.#tools.log.error({ err, webhook }, 'sending to webhooks failed, trying again')
  }

  /** Reads the values of the metrics of webhooks. Only the leader has them. */
  async readMetricValues(): Promise<MetricValues<WebhookMetric>> {
    const { db } = this.#tools
    if (!this.#leadership.isHeld) return { webhooks_served: 0 }
    const states = await readDeliveryStates(db)
    const latest = await findLastPosition(db)
    const positions = (await listEnabled(db)).map(({ position }) => position)
    return {
      webhooks_served: this.#senders.size,
      webhook_behind: latest - Math.min(latest, ...positions),
      webhook_messages: {
        waiting: states.reduce((sum, { waiting }) => sum + waiting, 0),
        dead: states.reduce((sum, { dead }) => sum + dead, 0)
      }
    }
  }

  /** Ends the senders of webhooks that are gone or have changed, or whose old secret has ended. */
  async #endOthers(webhooks: StoredWebhook[]): Promise<void> {
    const toKey = ({ id, timeModified, secrets }: StoredWebhook) => `${id} ${timeModified} ${secrets.length}`
    const kept = new Set(webhooks.map(toKey))
    const ended = [...this.#senders.values()].filter(
      ({ webhook, signal }) => signal.aborted || !kept.has(toKey(webhook))
    )
    for (const { webhook } of ended) this.#senders.delete(webhook.id)
    await Promise.all(ended.map(sender => sender.stop()))
    if (this.#senders.size > 0) return
    this.#leaveFeed?.()
    this.#leaveFeed = undefined
  }

  #begin(webhook: StoredWebhook): WebhookSender {
    const { db, feed } = this.#tools
    return new WebhookSender(webhook, {
      db,
      feed,
      attempt: openAttempts(webhook, { ...this.#tools, leadership: this.#leadership }),
      report: error => this.report(error, webhook.id)
    })
  }
}

const listEnabled = async (db: Db): Promise<StoredWebhook[]> =>
  (await listStoredWebhooks(db)).filter(({ disabled }) => !disabled)
