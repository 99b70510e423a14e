// Runs on SQLite only, alone, in test:all only.
/** The metrics of a service in a host. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { t } from 'tap'
import { metricDefinitions } from '../../features/load.ts'
import productTemplates, { Metrics } from '../../index.ts'
import { maxOperationNames } from '../../runtime/metrics/metrics.ts'
import { directory } from '../support/database/database.ts'
import { accessToken, query, tokenRequest } from '../support/http/http.ts'
import { addClient, addUser, cheapHash, database, host, service } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { parseMetrics, scrape } from './scrape.ts'

t.test('requests, operations, tokens and errors are counted', async t => {
  const { url } = await service(t, { metrics: true })
  const token = await accessToken(url)
  await tokenRequest(url, { password: 'wrong' })
  await tokenRequest(url, {}, { authorization: 'Basic bm9ib2R5Ong=' })
  for (let count = 0; count < 3; count++) await query(url, token, 'query Names { allProducts { name } }')
  await query(url, token, '{ nothing }')
  await query(url, token, 'query Names { product(id: 1) { id } allProducts(limit: -1) { id } }')
  await query(url, 'none', '{ __typename }')
  await fetch(`${url}/metadata/1.json`)
  await fetch(`${url}/graphql`, { method: 'DELETE' })

  const { names, sum, text } = await scrape(`${url}/metrics`)
  t.same(names, [...new Set(names)])
  const known = Object.keys(metricDefinitions).map(name => `product_templates_${name}`)
  t.same(
    names.filter(name => !known.includes(name)),
    []
  )
  t.equal(sum('http_requests_total', { route: '/graphql', method: 'POST', status: '200' }), 5)
  t.equal(sum('http_requests_total', { route: '/graphql', status: '401' }), 1)
  t.equal(sum('http_requests_total', { route: '/graphql', method: 'DELETE', status: '405' }), 1)
  t.equal(sum('http_requests_total', { route: '/metadata/:id.json', status: '404' }), 1)
  t.equal(sum('http_request_duration_seconds', { route: '/graphql', method: 'POST' }), 6)
  const named = { operation: 'Names', type: 'query' }
  t.equal(sum('graphql_operations_total', { ...named, source: 'executed' }), 3)
  t.equal(sum('graphql_operations_total', { ...named, source: 'cached' }), 1)
  t.equal(sum('graphql_operation_duration_seconds', named), 3)
  t.ok(sum('graphql_cost_total', named) > 0)
  t.equal(sum('graphql_errors_total', { code: 'GRAPHQL_VALIDATION_FAILED' }), 1)
  t.equal(sum('graphql_errors_total', { code: 'BAD_USER_INPUT' }), 1)
  t.equal(sum('responses_cached_hits_total'), 1)
  t.equal(sum('responses_cached'), 1)
  t.equal(sum('tokens_issued_total', { grant: 'password' }), 1)
  t.equal(sum('logins_total', { outcome: 'succeeded' }), 1)
  t.equal(sum('logins_total', { outcome: 'refused' }), 1)
  t.equal(sum('errors_total', { code: 'invalid_grant', reason: 'wrong_password' }), 1)
  t.equal(sum('errors_total', { code: 'invalid_client', reason: 'unknown_client' }), 1)
  t.equal(sum('errors_total', { code: 'invalid_token', reason: 'malformed' }), 1)
  t.ok(sum('hash_duration_seconds') >= 2)
  t.equal(sum('store_up'), 1)
  t.notMatch(text, /process_cpu_seconds_total\{/, 'a host measures its own process')
  t.notMatch(text, /build_info\{/)
})

t.test('a refused token is counted with the reason', async t => {
  const { url } = await service(t, { metrics: true, accessTokenTtl: 60 })
  const token = await accessToken(url)
  const realNow = Date.now
  Date.now = () => realNow() + 61_000
  t.teardown(() => {
    Date.now = realNow
  })
  await query(url, token, '{ __typename }')
  Date.now = realNow
  const [head, claims] = token.split('.')
  await query(url, `${head}.${claims}.${'A'.repeat(86)}`, '{ __typename }')
  const { sum } = await scrape(`${url}/metrics`)
  t.equal(sum('errors_total', { code: 'invalid_token', reason: 'expired' }), 1)
  t.equal(sum('errors_total', { code: 'invalid_token', reason: 'wrong_signature' }), 1)
})

t.test('names of operations are bounded, and those of refused ones do not count', async t => {
  const metricsRegistry = new Metrics()
  const { url } = await service(t, { metricsRegistry })
  const token = await accessToken(url)
  for (let count = 0; count < 5; count++) await query(url, token, `query Refused${count} { nothing }`)
  for (let count = 0; count < maxOperationNames + 5; count++)
    await query(url, token, `query Name${count} { __typename }`)
  await query(url, token, `query ${'Long'.repeat(100)} { __typename }`)
  await query(url, token, '{ __typename }')
  const { text, sum } = parseMetrics((await metricsRegistry.text()).text)
  const counted = [...text.matchAll(/graphql_cost_total\{operation="(\w+)"/g)].map(([, name]) => name)
  t.equal(counted.length, maxOperationNames + 1)
  t.equal(sum('graphql_operations_total', { operation: 'Name0' }), 1)
  t.equal(sum('graphql_operations_total', { operation: 'other' }), 7)
  t.notMatch(text, /Refused/)
  t.equal((await fetch(`${url}/metrics`)).status, 404, 'a host serves them itself')
})

t.test('two services in one host count for themselves', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  const app = host(t)
  await app.register(productTemplates, { prefix: '/one', db, metrics: true, ...cheapHash })
  await app.register(productTemplates, { prefix: '/two', db, metrics: true, ...cheapHash })
  const url = await app.listen({ port: 0 })
  await accessToken(`${url}/one`)
  const issued = async (prefix: string) =>
    (await scrape(`${url}/${prefix}/metrics`)).sum('tokens_issued_total')
  t.equal(await issued('one'), 1)
  t.equal(await issued('two'), 0)
  t.equal((await fetch(`${url}/metrics`)).status, 404)
})

t.test('services that share metrics count together, and one that closes takes only its own', async t => {
  const metricsRegistry = new Metrics()
  const open = async () => {
    const app = Fastify()
    t.teardown(() => app.close())
    const db = await database(t)
    await addUser(db)
    await addClient(db)
    await app.register(productTemplates, { db, metricsRegistry, ...cheapHash })
    return { app, url: await app.listen({ port: 0, host: '127.0.0.1' }) }
  }
  const read = async () => parseMetrics((await metricsRegistry.text()).text)
  const [one, two] = [await open(), await open()]
  const { names: before, sum: sumBefore } = await read()
  await accessToken(one.url)
  t.equal((await read()).sum('hash_duration_seconds'), sumBefore('hash_duration_seconds') + 1)
  await one.app.close()
  await accessToken(two.url)
  const { names, sum } = await read()
  t.equal(sum('hash_duration_seconds'), sumBefore('hash_duration_seconds') + 2)
  t.equal(sum('hash_wait_seconds'), sumBefore('hash_wait_seconds') + 2)
  t.equal(sum('tokens_issued_total'), 2)
  t.same(
    before.filter(name => !names.includes(name)),
    [],
    'the other still has all metrics'
  )
})

t.test('nothing of a closed service is left', async t => {
  // Leaves out the log files of other tests, and immediates, which end by themselves.
  const handles = () =>
    process
      .getActiveResourcesInfo()
      .filter(type => !['FSReqCallback', 'Immediate'].includes(type))
      .sort()
  const before = handles()
  const metricsRegistry = new Metrics()
  const app = Fastify()
  await app.register(productTemplates, { database: 'sqlite::memory:', metrics: true, metricsRegistry })
  await app.ready()
  const inUse = await metricsRegistry.text()
  t.match(inUse.text, /^product_templates_store_up\{engine="sqlite"\} 1$/m)
  await app.close()
  t.same(handles(), before)
  const { text } = await metricsRegistry.text()
  t.match(text, /logins_total\{/, 'what it has counted can be read')
  t.notMatch(text, /^product_templates_(store_up|responses_cached|hashes_running)[ {]/m)
})

t.test('wrong options are refused', async t => {
  const register = async (options: object) =>
    Fastify().register(productTemplates, { database: 'sqlite::memory:', ...options })
  await t.rejects(register({ metrics: 'yes' }), {
    code: 'PTS_BAD_OPTION',
    message: /metrics must be true or false/
  })
  await t.rejects(register({ metricsRegistry: {} }), {
    code: 'PTS_BAD_OPTION',
    message: /metricsRegistry must be/
  })
})

t.test('a database that is gone is no failed scrape', async t => {
  const file = join(await directory(t), 'templates.db')
  const metricsRegistry = new Metrics()
  const app = Fastify()
  t.teardown(() => app.close())
  await app.register(productTemplates, { database: `sqlite:${file}`, metricsRegistry })
  await app.ready()
  const isUp = async () => parseMetrics((await metricsRegistry.text()).text).sum('store_up')
  t.equal(await isUp(), 1)
  renameSync(file, `${file}.moved`)
  // It looks for its file at most every 100 ms.
  await until(async () => (await isUp()) !== 1)
  t.equal(await isUp(), 0)
  renameSync(`${file}.moved`, file)
  t.equal(await isUp(), 1)
})
