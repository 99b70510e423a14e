import { setTimeout } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { engineOf } from '../db/dialects/engine.ts'
import { estimateRows } from '../db/templates/read/count.ts'
import { countRetries } from '../db/transaction.ts'
import { versionsOf } from '../db/versions.ts'

/** Milliseconds that the database has to answer a scrape. */
const patience = 1000

/** Adds the figures of the store to the metrics. */
export const storeFigures = fp(
  async app => {
    const db = app.productStore
    const engine = engineOf(db)
    const countRows = async () => {
      // The numbers of rows may be some seconds old.
      await versionsOf(db).now()
      return {
        store_templates: await estimateRows(db, 'product_template'),
        store_revisions: await estimateRows(db, 'product_revision')
      }
    }
    app.productOnScrape(async () => {
      const late = setTimeout(patience, undefined, { ref: false })
      const rows = await Promise.race([countRows().catch(() => undefined), late])
      return { ...rows, store_up: { [engine.name]: rows ? 1 : 0 } }
    })
    app.productOnScrape(() => ({
      store_version_changes_total: versionsOf(db).changes,
      store_transaction_retries_total: countRetries(db),
      ...engine.readFigures(db)
    }))
    const observe = (seconds: number) =>
      app.productMetrics.histogram('store_writer_wait_seconds').observe(seconds)
    app.addHook('onClose', engine.observeWriters(db, observe))
  },
  { name: 'product-store-figures', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
