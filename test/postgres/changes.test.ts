// Runs on PostgreSQL only.
/** `/changes` and a subscription while PostgreSQL is away. */
import { t } from 'tap'
import { openDatabase } from '../../db/connect.ts'
import { openStream } from '../support/http/event-stream.ts'
import { accessToken } from '../support/http/http.ts'
import { readChanges, subscribe, subscriber } from '../support/http/subscriber.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'

t.test('a stream goes on when PostgreSQL is back', async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const settings = { PASSWORD_MEMORY: '7168', DATABASE_CONNECT_TIMEOUT: '1', CHANGES_HEARTBEAT: '1' }
  const db = await openDatabase(server.url)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, { id: 1 })
  await db.destroy()
  const { url } = await serve(t, [], { DATABASE_URL: server.url, ...settings })
  const token = await accessToken(url)
  const stream = await openStream(url, token, { after: 'start' })
  t.match(await stream.events(1), [{ event: 'insert' }])
  const results = subscribe(subscriber(t, url, token), { after: 'start', where: { id: { equals: 1 } } })
  await readChanges(results, 1)
  await server.kill()
  // After the token was checked in vain.
  for (let turn = 0; turn < 2; turn++) t.equal((await stream.next())?.comment, 'heartbeat')
  await server.start()
  const again = await openDatabase(server.url)
  t.teardown(() => again.destroy())
  await again.deleteFrom('product_template').execute()
  t.match(await stream.events(1), [{ event: 'delete', data: { id: 1, revision: 2 } }])
  t.match(await readChanges(results, 1), [{ action: 'DELETE', templateId: 1, revision: 2 }])
})
