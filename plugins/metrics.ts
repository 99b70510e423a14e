import { setTimeout } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { observeHashes, readHashMetrics } from '../accounts/credentials/hash-queue.ts'
import { engineOf } from '../db/dialects/engine.ts'
import { replicaOf } from '../db/templates/snapshot.ts'
import { readStoreStatistics } from '../db/templates/statistics.ts'
import { versionsOf } from '../db/versions.ts'
import type { NameOf } from '../runtime/metrics/definitions.ts'
import { Metrics, type ReadMetricValues } from '../runtime/metrics/metrics.ts'
import type { RequestTrace } from '../runtime/tracing.ts'

declare module 'fastify' {
  interface FastifyInstance {
    productMetrics: Metrics
    /** Adds values to each scrape until the service closes. */
    productOnScrape: <Name extends string = NameOf<'counter' | 'gauge'>>(
      read: ReadMetricValues<NoInfer<Name>>
    ) => void
  }
  interface FastifyRequest {
    /** null without tracing. */
    productTrace: RequestTrace | null
  }
}

/** Provides the metrics object of the service: the host's object, or a new one. */
export const metricsPlugin = fp<{ metrics?: Metrics | undefined }>(
  async (app, { metrics = new Metrics() }) => {
    app.decorate('productMetrics', metrics)
    if (!app.hasRequestDecorator('productTrace')) app.decorateRequest('productTrace', null)
    // The object may belong to the host, which keeps using it.
    const onScrape = (read: ReadMetricValues<string>) => void app.addHook('onClose', metrics.onScrape(read))
    app.decorate('productOnScrape', onScrape)
    app.addHook('onClose', addHashMetrics(metrics))
  },
  { name: 'product-metrics', fastify: '5.x' }
)

/** The objects that have the metrics of hashes, and for how many services. */
const withHashes = new WeakMap<Metrics, { services: number; stop(): void }>()

/**
 * Adds the metrics of hashes, which are of all services. Services that share an object must not count a hash
 * twice, so it has these metrics once, until the last service closes. Returns the function that ends the use by one.
 */
function addHashMetrics(metrics: Metrics): () => void {
  const used = withHashes.get(metrics) ?? { services: 0, stop: startHashMetrics(metrics) }
  used.services++
  withHashes.set(metrics, used)
  return () => {
    used.services--
    if (used.services > 0) return
    withHashes.delete(metrics)
    used.stop()
  }
}

function startHashMetrics(metrics: Metrics): () => void {
  const observe = (name: NameOf<'histogram'>, seconds: number) => metrics.histogram(name).observe(seconds)
  const stops = [metrics.onScrape(readHashMetrics), observeHashes(observe)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Milliseconds that the database may take during a scrape. */
const scrapeTimeoutMs = 1000

/** Resolves to the result of a read, or to undefined if it fails or takes too long. */
export const readInTime = <T>(read: Promise<T>): Promise<T | undefined> =>
  Promise.race([read.catch(() => undefined), setTimeout(scrapeTimeoutMs, undefined, { ref: false })])

/** Adds the metrics of the store. */
export const storeMetrics = fp(
  async app => {
    const db = app.productStore
    const engine = engineOf(db)
    const countRows = async () => {
      // The row counts may be some seconds old.
      await versionsOf(db).now()
      const { templates, revisions } = await readStoreStatistics(db)
      return { store_templates: templates, store_revisions: revisions }
    }
    app.productOnScrape(async () => {
      const rows = await readInTime(countRows())
      return { ...rows, store_up: { [engine.name]: rows ? 1 : 0 } }
    })
    app.productOnScrape(() => {
      const replica = replicaOf(db)
      return {
        store_version_changes_total: versionsOf(db).changes,
        ...(replica && { store_replica_reads_total: { ...replica.reads } }),
        ...engine.readMetricValues(db)
      }
    })
    const observe = (seconds: number) =>
      app.productMetrics.histogram('store_writer_wait_seconds').observe(seconds)
    app.addHook('onClose', engine.observeWriters(db, observe))
  },
  { name: 'product-store-metrics', fastify: '5.x', dependencies: ['product-store', 'product-metrics'] }
)
