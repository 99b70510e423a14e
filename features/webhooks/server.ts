import fp from 'fastify-plugin'
import { readInTime } from '../../plugins/metrics.ts'
import { repeatUntilClose } from '../../plugins/repeat-until-close.ts'
import type { FeatureServer } from '../../routes/feature-server.ts'
import { Dispatcher } from './dispatcher.ts'
import type { WebhookMetric } from './index.ts'
import { forgetEndedSecrets } from './rows/webhooks.ts'
import type { WebhookSettings } from './send.ts'

/** Milliseconds between two rounds. In each round, the sending process also renews its leadership. */
const roundIntervalMs = 1000
/** Milliseconds between two deletions of secrets that have ended. */
const deletionIntervalMs = 60_000

/** Sends changes to the webhooks in the database. Only one of the processes on the database sends. */
const webhooks = fp<WebhookSettings>(
  async (app, settings) => {
    const { productStore: db, productChangeFeed: feed, productMetrics: metrics, log } = app
    const dispatcher = new Dispatcher({ db, feed, metrics, log, settings })
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
    const forget = async () => {
      await forgetEndedSecrets(db).catch(err => log.error({ err }, 'maintenance failed'))
      return deletionIntervalMs
    }
    repeatUntilClose(app, forget, deletionIntervalMs)
  },
  {
    name: 'product-webhooks',
    fastify: '5.x',
    dependencies: ['product-store', 'product-metrics', 'product-change-feed']
  }
)

export const server: FeatureServer = { plugin: webhooks }
