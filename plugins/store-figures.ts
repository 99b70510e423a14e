import { setTimeout } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { engineOf } from '../db/dialects/engine.ts'
import { estimateRows } from '../db/templates/read/count.ts'
import { countRetries } from '../db/transaction.ts'
import { versionsOf } from '../db/versions.ts'
import type { Collection } from '../metrics/collection.ts'

/** Milliseconds that the database has to answer a scrape. */
const patience = 1000

/** Adds the figures of the store to the metrics. */
export const storeFigures = fp(
  async app => {
    const db = app.productStore
    const engine = engineOf(db)
    const countRows = async (to: Collection) => {
      // The numbers of rows may be some seconds old.
      await versionsOf(db).now()
      to.add('store_templates', await estimateRows(db, 'product_template'))
      to.add('store_revisions', await estimateRows(db, 'product_revision'))
    }
    const collect = async (to: Collection) => {
      for (const [version, changes] of Object.entries(versionsOf(db).changes))
        to.add('store_version_changes_total', changes, { version })
      to.add('store_transaction_retries_total', countRetries(db))
      engine.collect(db, to)
      const late = new AbortController()
      const isUp = await Promise.race([
        countRows(to).then(
          () => true,
          () => false
        ),
        setTimeout(patience, false, late).catch(() => false)
      ])
      late.abort()
      to.add('store_up', isUp ? 1 : 0, { engine: engine.name })
    }
    app.productOnCollect(collect)
  },
  { name: 'product-store-figures', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
