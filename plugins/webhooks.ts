import fp from 'fastify-plugin'
import { Dispatcher, type WebhookSettings } from '../webhooks/dispatcher.ts'
import { repeatUntilClose } from './maintenance.ts'
import { readInTime } from './metrics.ts'

/** Milliseconds between looks for webhooks, in which the process that sends says that it lives. */
const interval = 1000

/** Sends changes to the webhooks in the database, from one of the processes that have it open. */
export const webhooks = fp<WebhookSettings & { webhooks: boolean }>(
  async (app, { webhooks, ...settings }) => {
    if (!webhooks) return
    const { productStore: db, productMetrics: metrics, log } = app
    const dispatcher = new Dispatcher({ db, metrics, log }, settings)
    app.productOnScrape(async () => (await readInTime(dispatcher.readFigures())) ?? {})
    // Called after the last look, because that hook is added later.
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
      return interval
    })
  },
  { name: 'product-webhooks', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
