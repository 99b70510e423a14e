// Runs on PostgreSQL only.
/** What administrators read, and nobody waits for any more. */
import { sql } from 'kysely'
import { t } from 'tap'
import { migratedUrl } from '../../../test/support/database/database.ts'
import { graphqlRequest } from '../../../test/support/http/http.ts'
import { start } from '../../../test/support/service/administrator.ts'
import { until } from '../../../test/support/until.ts'
import { openDatabase } from '../../database.ts'

t.test('what an administrator reads ends in the server when the client has gone', async t => {
  // Nothing but the client ends it.
  const db = await openDatabase(await migratedUrl(t), { databaseQueryTimeout: 600 })
  t.teardown(() => db.destroy())
  const { url, token } = await start(t, { db, graphqlTimeout: 600 })
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
    await until(async () => (await readers()) === 0)
  })
})
