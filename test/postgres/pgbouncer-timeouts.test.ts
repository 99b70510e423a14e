// Runs on PostgreSQL only, in test:all only.
/** As timeouts.test.ts, behind PgBouncer. */
import { sql } from 'kysely'
import { t } from 'tap'
import { isUnavailable } from '../../db/dialects/faults.ts'
import { startPgbouncer } from '../support/postgres/pgbouncer.ts'
import { needs } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { open, runOperation, sleep, sleepers, timeouts } from './sleeping.ts'

t.test(
  'behind PgBouncer each transaction sets its own timeouts and leaves nothing behind',
  needs('pgbouncer'),
  async t => {
    const { db, watcher } = await open(t, { databaseQueryTimeout: 8 }, startPgbouncer)
    t.same(await timeouts(db), ['0', '0'])
    t.same(await db.transaction().execute(timeouts), ['8s', '4s'])
    const serializable = db.transaction().setIsolationLevel('serializable')
    t.same(await serializable.execute(timeouts), ['8s', '4s'])
    t.same(await timeouts(db), ['0', '0'])
    t.same(await sleepers(watcher), [])
  }
)

t.test(
  'behind PgBouncer a statement is ended when it takes too long or its signal aborts',
  needs('pgbouncer'),
  async t => {
    const { db, watcher } = await open(t, { databaseQueryTimeout: 1, databasePoolSize: 2 }, startPgbouncer)
    const late = await sleep.execute(db).catch(error => error)
    t.ok(isUnavailable(late), String(late))
    await until(async () => (await sleepers(watcher)).length === 0)
    const gone = new AbortController()
    const statement = runOperation(db, sleep, gone.signal)
    await until(async () => (await sleepers(watcher)).length === 1)
    gone.abort(new Error('the client has gone'))
    await t.rejects(statement, /the client has gone/)
    await until(async () => (await sleepers(watcher)).length === 0)
    t.same(await runOperation(db, sql`select 1 as one`), [{ one: 1 }])
  }
)
