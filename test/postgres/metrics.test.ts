// Runs on PostgreSQL only.
/** The metricsRegistry of a pool of connections. */
import Fastify from 'fastify'
import { t } from 'tap'
import productTemplates, { Metrics } from '../../index.ts'
import { parseMetrics } from '../metrics/scrape.ts'
import { databaseUrl } from '../support/database/database.ts'

t.test('the connections of a pool are counted', async t => {
  const metricsRegistry = new Metrics()
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(productTemplates, {
    database: await databaseUrl(t),
    databasePoolSize: 3,
    metricsRegistry
  })
  await app.ready()
  const read = async () => parseMetrics((await metricsRegistry.text()).text)
  // The first scrape opens connections for what it reads.
  await read()
  const { sum, text } = await read()
  t.equal(sum('store_connections_max'), 3)
  t.ok(sum('store_connections') > 0)
  t.equal(sum('store_connections_waiting'), 0)
  t.match(text, /^product_templates_store_up\{engine="postgres"\} 1$/m)
  t.notMatch(text, /^product_templates_store_file_bytes\{/m)
})
