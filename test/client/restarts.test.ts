// Runs on SQLite only, in test:all only.
/** The client while the service restarts, refuses and loses connections: no page and no change is lost or doubled. */
import { once } from 'node:events'
import { type Test, t } from 'tap'
import { openDatabase } from '../../features/database.ts'
import { createClient } from '../../packages/client/index.ts'
import { migratedUrl } from '../support/database/database.ts'
import { serve } from '../support/service/process.ts'
import { addClient, addTemplates, addUser } from '../support/service/service.ts'
import { TestClock } from './clock.ts'
import { network } from './network.ts'
import { passwordAuth } from './password-auth.ts'

async function start(t: Test) {
  const url = await migratedUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  await addUser(db)
  await addClient(db, { grantTypes: ['password', 'refresh_token'] })
  await addTemplates(db, ...Array.from({ length: 30 }, (_, id) => ({ id })))
  // Without a fixed issuer, the tokens of one process are not those of the next: the client logs in again.
  const launch = () => serve(t, [], { DATABASE_URL: url, PASSWORD_MEMORY: '7168' })
  let running = await launch()
  const net = await network(t, running.url)
  const restart = async () => {
    net.target = undefined
    running.child.kill('SIGTERM')
    await once(running.child, 'exit')
    running = await launch()
    net.target = running.url
  }
  const clock = new TestClock()
  const client = createClient({ url: net.url, auth: passwordAuth, clock })
  return { db, net, restart, clock, client }
}

t.test('every page comes once', async t => {
  const { db, net, restart, clock, client } = await start(t)
  const ids: number[] = []
  for await (const { id } of client.eachProduct({ first: 3, select: { id: true } })) {
    ids.push(id)
    if (id === 2) net.fail('/graphql', { status: 503, headers: { 'retry-after': '7' } })
    if (id === 5) net.fail('/graphql', 'unsent', 'lost', 'half', { status: 502, body: '<html>' })
    if (id === 8)
      net.fail('/graphql', { status: 429, headers: { 'retry-after': '1' }, body: '{"errors":[]}' })
    if (id === 11) {
      net.target = undefined
      // The first pause lasts as long as the restart.
      const restarted = restart()
      clock.onPause = () => restarted
    }
    if (id === 17)
      await db.updateTable('product_template').set({ name: 'changed' }).where('id', 'in', [1, 20]).execute()
  }
  t.same(
    ids,
    Array.from({ length: 30 }, (_, id) => id)
  )
  t.same(clock.pauses.slice(0, 6), [7125, 125, 250, 500, 1000, 1125])
})

t.test('every change comes once, and the stream goes on after a renewed token', async t => {
  const { db, net, restart, clock, client } = await start(t)
  const change = (id: number, name: string) =>
    db.updateTable('product_template').set({ name }).where('id', '=', id).execute()
  const changes = client.changes({ after: 'start' })
  const seen: string[] = []
  const read = async (count: number) => {
    while (seen.length < count) {
      const { value } = await changes.next()
      if (value) seen.push(`${value.action} ${value.id} ${value.revision}`)
    }
  }
  net.fail('/changes', { status: 503, headers: { 'retry-after': '1' } }, 'half')
  await read(30)
  const waiting = read(31)
  // As of a laptop that slept.
  clock.pass(120_000)
  net.cut()
  await change(1, 'while it is cut')
  await waiting
  const restarted = restart()
  clock.onPause = () => restarted
  await change(2, 'during the restart')
  await read(32)
  t.equal(seen.length, 32)
  // Both processes issued a token.
  t.equal(net.requests.filter(request => request === 'POST /oauth/token').length, 2)
  t.equal(new Set(seen).size, 32)
  t.same(seen.slice(30), ['UPDATE 1 2', 'UPDATE 2 2'])
  t.same(await changes.return(), { done: true, value: undefined })
})
