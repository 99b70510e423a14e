// Runs on PostgreSQL only, alone.
/** Commits that wait for a standby: what a client repeats meanwhile is not acknowledged either. */
import { type Test, t } from 'tap'
import { accessToken, graphqlRequest, query } from '../support/http/http.ts'
import { proxy } from '../support/http/proxy.ts'
import { hostList, makeSynchronous } from '../support/postgres/pair.ts'
import { startPostgres, startStandby } from '../support/postgres/postgres.ts'
import { serve } from '../support/service/process.ts'
import { until } from '../support/until.ts'
import { demoClient, demoUser } from './load.ts'

/** A service on a synchronous pair, and the network between the servers. */
async function start(t: Test) {
  const primary = await startPostgres()
  t.teardown(() => primary.stop())
  const between = await proxy(t, primary.port)
  const standby = await startStandby(primary, between.port)
  t.teardown(() => standby.stop())
  const DATABASE_URL = hostList(primary, [primary.port, standby.port])
  const { url } = await serve(t, ['--demo'], {
    DATABASE_URL,
    DATABASE_QUERY_TIMEOUT: '1',
    ADDRESS_LIMIT: '0'
  })
  await makeSynchronous(primary)
  return { url, between }
}

t.test('a request that is repeated gets no 200 from a commit that only the primary has', async t => {
  const { url, between } = await start(t)
  const token = await accessToken(url, demoUser, demoClient)
  const body = new URLSearchParams({ token: await accessToken(url, demoUser, demoClient) })
  const input = '{ id: 1000, blockchainId: 1, maxItems: 1, name: "n", data: "{}" }'
  const create = `mutation { createProduct(input: ${input}) { product { id } } }`
  const found = await query(url, token, '{ allProducts(limit: 1) { id } }')
  const { id } = found.body.data.allProducts[0]
  const update = `mutation { updateProduct(id: ${id}, input: { name: "new" }) { product { id } } }`
  const requests = {
    revoke: () => fetch(`${url}/oauth/revoke`, { method: 'POST', headers: demoClient, body }),
    update: () => graphqlRequest(url, token, { query: update }),
    create: () => graphqlRequest(url, token, { query: create }, { 'idempotency-key': '"one"' })
  }
  between.swallow()
  for (const [name, request] of Object.entries(requests)) {
    const statuses: number[] = []
    while (statuses.length < 3) statuses.push((await request()).status)
    t.same(statuses, [503, 503, 503], name)
  }
  between.cut()
  for (const request of Object.values(requests)) await until(async () => (await request()).status === 200)
})
