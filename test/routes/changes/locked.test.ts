/** The feed while another process holds the lock that a release of changes needs: it is never silently stale. */
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { openDatabase } from '../../../features/database.ts'
import { migratedUrl } from '../../support/database/database.ts'
import { lockChanges } from '../../support/database/lock-changes.ts'
import { changesRequest, openStream } from '../../support/http/event-stream.ts'
import { accessToken, graphqlRequest, query } from '../../support/http/http.ts'
import { serve } from '../../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../../support/service/service.ts'

/** Serves a database, with a statement timeout that is short on PostgreSQL. SQLite waits for five seconds. */
async function start(t: Test) {
  const databaseUrl = await migratedUrl(t)
  const db = await openDatabase(databaseUrl)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db)
  const env = { DATABASE_URL: databaseUrl, DATABASE_QUERY_TIMEOUT: '2', PASSWORD_MEMORY: '7168' }
  const { url } = await serve(t, [], env)
  return { db, databaseUrl, url, token: await accessToken(url) }
}

const rename = (db: Db, name: string) => db.updateTable('product_template').set({ name }).execute()

const latest = (url: string, token: string) =>
  graphqlRequest(url, token, { query: '{ changes { latestCursor nodes { revision } } }' })

/** Begins a subscription with the next change. */
const subscribe = (url: string, token: string) =>
  graphqlRequest(
    url,
    token,
    { query: 'subscription { productChanged { revision } }' },
    { accept: 'text/event-stream' }
  )

t.test('a reader who would miss a change gets 503, and a stream from a cursor waits', async t => {
  const { db, databaseUrl, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  const before = await (await latest(url, token)).json()
  await rename(db, 'two')
  const unlock = await lockChanges(t, databaseUrl)
  const answers = await Promise.all([latest(url, token), subscribe(url, token), changesRequest(url, token)])
  for (const { status, headers } of answers) t.same([status, headers.get('retry-after')], [503, '1'])
  t.match(await answers[0].json(), { errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
  t.match((await query(url, token, '{ product(id: 1) { name } }')).body, {
    data: { product: { name: 'two' } }
  })
  const stream = await openStream(url, token, { after: 'start' })
  t.match(await stream.events(1), [{ event: 'insert', data: { revision: 1 } }])

  await unlock()
  t.match(await stream.events(1), [{ event: 'update', data: { revision: 2 } }])
  await stream.close()
  const { data } = await (await latest(url, token)).json()
  t.same(data.changes.nodes, [{ revision: 1 }, { revision: 2 }])
  t.not(data.changes.latestCursor, before.data.changes.latestCursor)
})

t.test('without a new change, the feed can be read all the same', async t => {
  const { db, databaseUrl, url, token } = await start(t)
  await addTemplates(db, { id: 1 })
  await latest(url, token)
  await lockChanges(t, databaseUrl)
  const { data } = await (await latest(url, token)).json()
  t.same(data.changes.nodes, [{ revision: 1 }])
  const stream = await openStream(url, token)
  t.match(await stream.next(), { id: data.changes.latestCursor })
  await stream.close()
  const { status, body } = await subscribe(url, token)
  t.equal(status, 200)
  await body?.cancel()
})
