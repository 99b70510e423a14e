// Runs on PostgreSQL only, alone, in test:all only.
/** Operations on worker threads whose statement waits in the server. */
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { migratedUrl } from '../support/database/database.ts'
import { accessToken, basic, graphqlRequest } from '../support/http/http.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const aliases = Array.from({ length: 15 }, (_, index) => `a${index}: allProducts { id name }`)
/** Costs too much for the thread of the service. */
const query = `{ ${aliases.join(' ')} }`

/** A service, with an operation on a worker thread that waits for a lock. */
async function startWaiting(t: Test) {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db)
  await addTemplates(db, ...Array.from({ length: 600 }, (_, id) => ({ id })))
  const service = await serve(t, [], {
    DATABASE_URL: url,
    // So long that nothing ends by itself.
    DATABASE_QUERY_TIMEOUT: '600',
    GRAPHQL_TIMEOUT: '600',
    SHUTDOWN_TIMEOUT: '60',
    PASSWORD_MEMORY: '7168',
    METRICS: 'true'
  })
  const token = await accessToken(service.url, {}, { authorization: basic() })
  t.equal((await graphqlRequest(service.url, token, { query })).status, 200)
  const locking = await db.startTransaction().execute()
  await sql`lock table product_template in access exclusive mode`.execute(locking)
  let released: Promise<void> | undefined
  const release = () => (released ??= locking.rollback().execute())
  // Otherwise a test that fails would wait for its transaction.
  t.teardown(release)
  // The service also waits for the table by itself, for its statistics.
  const countWaits = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()
        and query like '%data end as "data"%'`.execute(db)
    return rows[0]?.count
  }
  const readThreads = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return /graphql_threads_running (\d+)/.exec(text)?.[1]
  }
  const client = new AbortController()
  const answer = fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: query.replaceAll('name', 'data') }),
    signal: client.signal
  })
  await until(async () => (await countWaits()) === 1)
  t.equal(await readThreads(), '1')
  return { service, client, answer, countWaits, readThreads, release }
}

t.test(
  'when its client has gone, an operation on a worker thread leaves nothing running in the server',
  async t => {
    const { client, answer, countWaits, readThreads, release } = await startWaiting(t)
    client.abort()
    await t.rejects(answer, { name: 'AbortError' })
    await until(async () => (await countWaits()) === 0)
    await until(async () => (await readThreads()) === '0')
    await release()
  }
)

t.test('a service that is to end first answers an operation on a worker thread', async t => {
  const { service, answer, release } = await startWaiting(t)
  service.child.kill('SIGTERM')
  await service.line('stdout', /closing/)
  await release()
  const response = await answer
  t.equal(response.status, 200)
  const { data } = (await response.json()) as { data: object }
  t.equal(Object.keys(data).length, aliases.length)
  t.equal((await service.ended).code, 0)
})
