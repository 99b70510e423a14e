// Runs on PostgreSQL only.
/** What administrators read, and nobody waits for any more. */
import { sql } from 'kysely'
import { t } from 'tap'
import { start } from '../graphql/admin/start.ts'
import { graphqlRequest } from '../support/http/http.ts'
import { until } from '../support/until.ts'

t.test('what an administrator reads ends in the server when the client has gone', async t => {
  const { db, url, token } = await start(t)
  const readers = async () => {
    const { rows } = await sql`select pid from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like '%product_audit%'`.execute(db)
    return rows.length
  }
  await db.transaction().execute(async transaction => {
    await sql`lock table product_audit in access exclusive mode`.execute(transaction)
    const gone = new AbortController()
    const query = '{ auditEvents { nodes { action } } }'
    const response = graphqlRequest(url, token, { query }, {}, gone.signal)
    await until(async () => (await readers()) === 1)
    gone.abort()
    await t.rejects(response, { name: 'AbortError' })
    const deadline = Date.now() + 2000
    await until(async () => (await readers()) === 0 || Date.now() > deadline)
    t.equal(await readers(), 0, 'long before the server would end it')
  })
})
