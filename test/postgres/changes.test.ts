// Runs on PostgreSQL only, in test:all only.
/** `/changes` and a subscription while PostgreSQL is away. */
import { t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { productTemplates } from '../../index.ts'
import { openStream } from '../support/http/event-stream.ts'
import { accessToken } from '../support/http/http.ts'
import { readChanges, subscribe, subscriber } from '../support/http/subscriber.ts'
import { startPostgres } from '../support/postgres/postgres.ts'
import { addClient, addTemplates, addUser, cheapHash, host } from '../support/service/service.ts'

t.test('a stream goes on when PostgreSQL is back', async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const db = await openDatabase(server.url)
  await addUser(db)
  await addClient(db)
  await addTemplates(db, { id: 1 })
  await db.destroy()
  const app = host(t)
  const options = { database: server.url, changesHeartbeat: 1, ...cheapHash }
  await app.register(productTemplates, options)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
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
