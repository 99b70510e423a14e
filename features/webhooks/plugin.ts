import fp from 'fastify-plugin'
import { readInTime } from '../../plugins/metrics.ts'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'
import { Dispatcher } from './dispatcher.ts'
import type { WebhookSettings } from './send.ts'

/** Milliseconds between two rounds. In each round, the sending process also renews its leadership. */
const roundIntervalMs = 1000

/** Sends changes to the webhooks in the database. Only one of the processes on the database sends. */
export const webhooks = fp<WebhookSettings>(
  async (app, settings) => {
    const { productStore: db, productChangeFeed: feed, productMetrics: metrics, log } = app
    const dispatcher = new Dispatcher({ db, feed, metrics, log, settings })
    app.productOnScrape(async () => (await readInTime(dispatcher.readMetricValues())) ?? {})
    // Runs after the last round, because the hook of `repeatUntilClose` is added later, and Fastify calls it first.
    app.addHook('onClose', () => dispatcher.close())
    let failed = false
    repeatUntilClose(app, async signal => {
      try {
        await dispatcher.look()
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
