/** The metrics of several workers are those of one service. */
import { t } from 'tap'
import { listeningWorker, openTwo, send, serveByTwo } from '../cli/worker-log.ts'
import { migratedUrl } from '../database.ts'
import { parseMetrics } from './scrape.ts'

t.test('each worker shows the sums of all, also with those that have ended', async t => {
  const service = await serveByTwo(t, { DATABASE_URL: await migratedUrl(t), HEALTH_PORT: '0' })
  const { url, workers } = service
  const { msg } = JSON.parse(await service.line('stdout', /[Pp]robes.*http/))
  const health = `${/http:\S+/.exec(msg)?.[0]}/metrics`
  const scrape = async () => parseMetrics(await (await fetch(health)).text())
  const agents = openTwo(t)
  for (const agent of [...agents, ...agents]) await send(`${url}/livez`, { agent })
  const first = await scrape()
  t.equal(first.sum('http_requests_total', { route: '/livez', status: '200' }), 4)
  t.equal(first.sum('http_request_duration_seconds', { route: '/livez' }), 4)
  t.equal(first.sum('workers'), 2)
  t.equal(first.sum('worker_ends_total'), 0)
  t.equal(first.sum('store_templates'), 12, 'both have the same store')
  t.equal(first.sum('build_info'), 1)
  t.ok(first.sum('process_resident_memory_bytes') > 3 * 2 ** 25, 'of three processes')

  process.kill(workers[0], 'SIGKILL')
  await service.line('stdout', /"a worker ended"/)
  await listeningWorker(service, workers)
  const second = await scrape()
  t.equal(second.sum('http_requests_total', { route: '/livez', status: '200' }), 4, 'no sum decreases')
  t.equal(second.sum('worker_ends_total'), 1)
  t.equal(second.sum('workers'), 2)
  service.child.kill('SIGTERM')
  t.equal((await service.ended).code, 0)
})

t.test('without a port for probes, any worker answers for all', async t => {
  const service = await serveByTwo(t, { DATABASE_URL: await migratedUrl(t) })
  const agents = openTwo(t)
  for (const agent of agents) await send(`${service.url}/livez`, { agent })
  for (let count = 0; count < 4; count++) {
    const { sum } = parseMetrics(await (await fetch(`${service.url}/metrics`)).text())
    t.equal(sum('http_requests_total', { route: '/livez' }), 2)
    t.equal(sum('workers'), 2)
  }
  service.child.kill('SIGTERM')
  t.equal((await service.ended).code, 0)
})
