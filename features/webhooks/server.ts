import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../../db/schema.ts'
import { findLastPosition } from '../../db/templates/changes/changes.ts'
import { readInTime } from '../../plugins/metrics.ts'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'
import type { ServerAddition } from '../../routes/server-addition.ts'
import type { MetricValues } from '../../runtime/metrics/definitions.ts'
import { openAttempts } from './attempts.ts'
import type { WebhookMetric } from './index.ts'
import { listDueWebhooks, readDeliveryStates } from './rows/deliveries.ts'
import { Leadership } from './rows/leader.ts'
import { listStoredWebhooks, type StoredWebhook } from './rows/webhooks.ts'
import type { WebhookSettings } from './send.ts'
import { WebhookSender } from './webhook-sender.ts'

/** Milliseconds between two rounds. In each round, the sending process also renews its leadership. */
const roundIntervalMs = 1000

/** Sends changes to the webhooks in the database. Only one of the processes on the database sends. */
const webhooks = fp<WebhookSettings>(
  async (app, settings) => {
    const dispatcher = new Dispatcher(app, settings)
    app.productOnScrape<WebhookMetric>(async () => (await readInTime(dispatcher.readMetricValues())) ?? {})
    // Runs after the last round, because the hook of `repeatUntilClose` is added later, and Fastify calls it first.
    app.addHook('onClose', () => dispatcher.close())
    let failed = false
    repeatUntilClose(app, async signal => {
      try {
        await dispatcher.runRound()
        failed = false
      } catch (error) {
        if (!failed && !signal.aborted) dispatcher.report(error)
        failed = true
      }
      return roundIntervalMs
    })
  },
  {
    name: 'product-webhooks',
    fastify: '5.x',
    dependencies: ['product-store', 'product-metrics', 'product-change-feed']
  }
)

/** Runs a sender for each webhook while this process is the leader. */
class Dispatcher {
  readonly #app: FastifyInstance
  readonly #db: Db
  readonly #settings: WebhookSettings
  readonly #leadership: Leadership
  readonly #senders = new Map<string, WebhookSender>()
  #leaveFeed: (() => void) | undefined

  constructor(app: FastifyInstance, settings: WebhookSettings) {
    this.#app = app
    this.#db = app.productStore
    this.#settings = settings
    this.#leadership = new Leadership(this.#db)
  }

  /** Renews the leadership, updates the senders and retries due messages. Without webhooks, it only looks for them. */
  async runRound(): Promise<void> {
    const enabled = await listEnabled(this.#db)
    const served = enabled.length > 0 && (await this.#leadership.renew()) ? enabled : []
    await this.#endOthers(served)
    if (served.length === 0) return
    this.#leaveFeed ??= this.#app.productChangeFeed.open()
    for (const webhook of served)
      if (!this.#senders.has(webhook.id)) this.#senders.set(webhook.id, this.#begin(webhook))
    for (const id of await listDueWebhooks(this.#db)) this.#senders.get(id)?.retry()
  }

  /** Ends all senders and the leadership, so that another process can continue at once. */
  async close(): Promise<void> {
    await this.#endOthers([])
    // If this fails, another process takes over a little later.
    await this.#leadership.release().catch(() => {})
  }

  report(err: unknown, webhook?: string): void {
    this.#app.log.error({ err, webhook }, 'sending to webhooks failed, trying again')
  }

  /** Reads the values of the metrics of webhooks. Only the leader has them. */
  async readMetricValues(): Promise<MetricValues<WebhookMetric>> {
    const db = this.#db
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
    const { productChangeFeed: feed, productMetrics: metrics, log } = this.#app
    const tools = { metrics, log, leadership: this.#leadership, settings: this.#settings }
    return new WebhookSender(webhook, {
      db: this.#db,
      feed,
      attempt: openAttempts(webhook, tools),
      report: error => this.report(error, webhook.id)
    })
  }
}

const listEnabled = async (db: Db): Promise<StoredWebhook[]> =>
  (await listStoredWebhooks(db)).filter(({ disabled }) => !disabled)

export const server: ServerAddition = { plugin: webhooks }
