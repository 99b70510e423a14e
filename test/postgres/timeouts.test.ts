// Runs on PostgreSQL only, in test:all only.
/** Statements on PostgreSQL that take too long, or that nobody waits for any more. */
import { sql } from 'kysely'
import { t } from 'tap'
import { engineOf, operationDb } from '../../db/dialects/engine.ts'
import { isUnavailable } from '../../db/dialects/faults.ts'
import { beginSnapshot } from '../../db/templates/snapshot.ts'
import { proxy } from '../support/http/proxy.ts'
import { until } from '../support/until.ts'
import { open, runOperation, sleep, sleepers, timeouts } from './sleeping.ts'

t.test('the timeouts come with the connection', async t => {
  const { db } = await open(t, { databaseQueryTimeout: 8 })
  t.same(await timeouts(db), ['8s', '4s'])
  t.same(await db.transaction().execute(timeouts), ['8s', '4s'])
})

t.test('migrations have more time, whatever the database grants', async t => {
  const { db } = await open(t, {})
  const granted = await db.transaction().execute(async transaction => {
    await engineOf(transaction).lock(transaction, 'migrations')
    return timeouts(transaction)
  })
  t.same(granted, ['10min', '1min'])
  t.same(await timeouts(db), ['10s', '5s'])
})

t.test('the server ends a statement that takes too long, and the connection is used again', async t => {
  const { db } = await open(t, { databaseQueryTimeout: 1, databasePoolSize: 1 })
  const backend = sql<{ pid: number }>`select pg_backend_pid() as pid`
  const before = (await backend.execute(db)).rows
  const error = await sleep.execute(db).catch(error => error)
  t.equal(error.code, '57014')
  t.ok(isUnavailable(error))
  t.same((await backend.execute(db)).rows, before)
})

t.test('a lock that is not free in time is an error of its own', async t => {
  const { db, watcher } = await open(t, { databaseQueryTimeout: 1 })
  await watcher.transaction().execute(async transaction => {
    await sql`lock table product_user in access exclusive mode`.execute(transaction)
    const error = await db
      .selectFrom('product_user')
      .select('id')
      .execute()
      .catch(error => error)
    t.equal(error.code, '55P03')
    t.ok(isUnavailable(error))
  })
})

t.test('when the signal aborts, the statement is ended in the server', async t => {
  const { db, watcher } = await open(t, { databasePoolSize: 2 })
  const gone = new AbortController()
  const statement = runOperation(db, sleep, gone.signal)
  await until(async () => (await sleepers(watcher)).length === 1)
  // The other connection is not for operations.
  const waiting = runOperation(db, sleep, gone.signal)
  gone.abort(new Error('the client has gone'))
  await t.rejects(statement, /the client has gone/)
  await t.rejects(waiting, /the client has gone/)
  await t.rejects(runOperation(db, sleep, gone.signal), /the client has gone/)
  await until(async () => (await sleepers(watcher)).length === 0)
  t.same(await runOperation(db, sql`select 1 as one`), [{ one: 1 }])
})

t.test('a given up statement keeps its place among operations until its connection is back', async t => {
  let network: Awaited<ReturnType<typeof proxy>> | undefined
  const { db, watcher } = await open(t, { databasePoolSize: 2 }, async (t, direct) => {
    const url = new URL(direct)
    network = await proxy(t, Number(url.port))
    url.port = `${network.port}`
    return url.href
  })
  const one = sql<{ one: number }>`select 1 as one`
  await Promise.all([one.execute(db), one.execute(db)])
  const gone = new AbortController()
  const statement = t.rejects(runOperation(db, sleep, gone.signal), /the client has gone/)
  await until(async () => (await sleepers(watcher)).length === 1)
  network?.swallow()
  gone.abort(new Error('the client has gone'))
  await statement
  const next = runOperation(db, one)
  for (let trips = 0; trips < 10; trips++) await one.execute(watcher)
  network?.open()
  t.same((await one.execute(db)).rows, [{ one: 1 }], 'the other connection is free')
  t.same(await next, [{ one: 1 }])
})

t.test('a snapshot that ends after its signal aborted leaves no transaction to the next', async t => {
  const { db } = await open(t, { databasePoolSize: 1 })
  const gone = new AbortController()
  const snapshot = await beginSnapshot(operationDb(db, { signal: gone.signal }))
  await sql`select 1`.execute(snapshot.db)
  gone.abort(new Error('the client has gone'))
  await snapshot.end()
  const { rows } = await sql<{ isolation: string; isFirst: boolean }>`select
    current_setting('transaction_isolation') as isolation, now() = statement_timestamp() as "isFirst"`.execute(
    db
  )
  t.same(rows, [{ isolation: 'read committed', isFirst: true }])
})
