// Runs on SQLite only, alone, in test:all only.
/** Operations that read for long, on threads. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { CompiledQuery, sql } from 'kysely'
import { type Test, t } from 'tap'
import { openDatabase } from '../../../db/connect.ts'
import { operationDb } from '../../../db/dialects/engine.ts'
import { isUnavailable } from '../../../db/dialects/faults.ts'
import type { Db } from '../../../db/schema.ts'
import { beginSnapshot } from '../../../db/templates/snapshot.ts'
import { sqliteUrl } from '../../support/database/database.ts'
import { withoutRunner } from '../../support/service/process.ts'
import { addClient } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Threads of a file. */
const threads = 4

/** Runs for about a second. */
const longQuery = sql<{ count: number }>`with recursive counter (n) as (
  select 1 union all select n + 1 from counter where n < 3000000
) select count(*) as count from counter`

async function fileDatabase(t: Test) {
  const url = await sqliteUrl(t)
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  return { db, url, path: url.slice('sqlite:'.length) }
}

/** Runs a statement of a long operation. */
async function runOnThread<R>(
  db: Db,
  query: { compile(db: Db): CompiledQuery<R> },
  signal?: AbortSignal
): Promise<R[]> {
  return (await operationDb(db, { signal, onThread: true }).executeQuery(query.compile(db))).rows
}

/** Makes sure that the threads have started, so that the next statements run at once. */
const startThreads = (db: Db) =>
  Promise.all(Array.from({ length: threads }, () => runOnThread(db, sql`select 1`)))

const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'no error',
    error => (isUnavailable(error) ? `${error.code}, unavailable` : error.code)
  )

t.test('it returns what the reader returns', async t => {
  const { db } = await fileDatabase(t)
  const values = sql`select 1 as number, 1.5 as real, 'ä' as text, null as none, ${'x'} as parameter
    union all select 2, 2.5, '', 0, null`
  t.same(await runOnThread(db, values), (await values.execute(db)).rows)
  t.same(await runOnThread(db, sql`select 1 as number where false`), [])
  await addClient(db)
  const query = db.selectFrom('product_client').select(['id', 'time_disabled'])
  t.same(await runOnThread(db, query), await query.execute())
})

t.test('the event loop serves others while a long statement runs', async t => {
  const { db } = await fileDatabase(t)
  // The start of a thread may take longer than the statement.
  await startThreads(db)
  let ended = false
  const long = runOnThread(db, longQuery).then(rows => {
    ended = true
    return rows
  })
  await addClient(db)
  t.same(await db.selectFrom('product_client').select('id').execute(), [{ id: 'test-client' }])
  t.same(await runOnThread(db, db.selectFrom('product_client').select('id')), [{ id: 'test-client' }])
  t.notOk(ended)
  t.same(await long, [{ count: 3_000_000 }])
})

t.test('an aborted signal ends the wait at once, and the next statement runs', async t => {
  const { db } = await fileDatabase(t)
  const gone = new AbortController()
  await startThreads(db)
  let ended = false
  // There are threads for most of them.
  const given = Array.from({ length: threads + 2 }, () => runOnThread(db, longQuery, gone.signal))
  const other = runOnThread(db, longQuery).then(() => {
    ended = true
  })
  await new Promise(resolve => setImmediate(resolve))
  gone.abort(new Error('the client has gone'))
  for (const statement of given) await t.rejects(statement, /the client has gone/)
  t.notOk(ended)
  await t.rejects(runOnThread(db, longQuery, gone.signal), /the client has gone/)
  await other
  t.same(await runOnThread(db, sql`select 1 as one`), [{ one: 1 }])
})

t.test('closing the database ends running and waiting statements', async t => {
  const { db } = await fileDatabase(t)
  await startThreads(db)
  const statements = Array.from({ length: threads + 1 }, () =>
    t.rejects(runOnThread(db, longQuery), /is closed/)
  )
  await new Promise(resolve => setImmediate(resolve))
  await db.destroy()
  await Promise.all(statements)
  await t.rejects(runOnThread(db, longQuery), /is closed/)
})

t.test('errors keep the codes of SQLite', async t => {
  const { db } = await fileDatabase(t)
  t.equal(await codeOf(runOnThread(db, sql`select missing`)), 'SQLITE_ERROR')
  t.equal(
    await codeOf(runOnThread(db, sql`delete from product_client returning id`)),
    'SQLITE_READONLY, unavailable'
  )
  const unsendable = { compile: () => CompiledQuery.raw('select ?', [() => {}]) }
  await t.rejects(runOnThread(db, unsendable), { name: 'DataCloneError' })
  t.same(await runOnThread(db, sql`select 1 as one`), [{ one: 1 }])
})

t.test(
  'a file that was replaced is noticed, before the thread starts and after, and put back it serves',
  async t => {
    const { db, path } = await fileDatabase(t)
    await addClient(db)
    const ids = db.selectFrom('product_client').select('id')
    const expected = [{ id: 'test-client' }]
    const moved = 'SQLITE_READONLY_DBMOVED, unavailable'
    const replace = async () => {
      await rename(path, `${path}.away`)
      await writeFile(path, '')
    }
    const putBack = () => rename(`${path}.away`, path)
    await replace()
    t.equal(await codeOf(runOnThread(db, ids)), moved)
    await putBack()
    t.same(await runOnThread(db, ids), expected)
    await replace()
    // What was seen a moment before holds for a tenth of a second.
    await until(async () => (await codeOf(runOnThread(db, ids))) !== 'no error')
    t.equal(await codeOf(runOnThread(db, ids)), moved)
    await putBack()
    t.same(await runOnThread(db, ids), expected)
  }
)

t.test('an idle thread does not keep the process alive, a busy one does', async t => {
  const { db, url } = await fileDatabase(t)
  const script = `
    import { sql } from 'kysely'
    import { openDatabase } from './db/connect.ts'
    import { operationDb } from './db/dialects/engine.ts'
    const db = operationDb(await openDatabase('${url}'), { onThread: true })
    await sql\`select 1\`.execute(db)
    console.log((await sql.raw(process.argv[1]).execute(db)).rows)`
  const words = [
    ...withoutRunner,
    process.execPath,
    '--input-type=module',
    '--eval',
    script,
    longQuery.compile(db).sql
  ]
  const { stdout } = await promisify(execFile)('env', words, { cwd: new URL('../../..', import.meta.url) })
  t.equal(stdout, '[ { count: 3000000 } ]\n')
})

t.test('a snapshot on a thread reads one moment, and is over when it ends', async t => {
  const { db } = await fileDatabase(t)
  const ids = (from: Db) => from.selectFrom('product_client').select('id').execute()
  const snapshot = await beginSnapshot(operationDb(db, { onThread: true }))
  t.same(await ids(snapshot.db), [])
  await addClient(db)
  t.same(await ids(snapshot.db), [])
  await snapshot.end()
  // The same thread, which is put back last.
  const next = await beginSnapshot(operationDb(db, { onThread: true }))
  t.same(await ids(next.db), [{ id: 'test-client' }])
  await next.end()
})

t.test('a snapshot that ends in the middle of a statement leaves no transaction behind', async t => {
  const { db } = await fileDatabase(t)
  await startThreads(db)
  const client = new AbortController()
  const snapshot = await beginSnapshot(operationDb(db, { onThread: true, signal: client.signal }))
  const long = longQuery.execute(snapshot.db)
  client.abort(new Error('the client has gone'))
  await t.rejects(long, /the client has gone/)
  await snapshot.end()
  await addClient(db)
  const found = await Promise.all(
    Array.from({ length: threads }, () => runOnThread(db, db.selectFrom('product_client').select('id')))
  )
  t.same(found, Array(threads).fill([{ id: 'test-client' }]))
})

t.test('a snapshot on a thread that ends while the file is away leaves no transaction behind', async t => {
  const { db, path } = await fileDatabase(t)
  const long = operationDb(db, { onThread: true })
  const ids = (from: Db) => from.selectFrom('product_client').select('id').execute()
  const snapshot = await beginSnapshot(long)
  t.same(await ids(snapshot.db), [])
  await rename(path, `${path}.away`)
  // What was seen a moment before holds for a tenth of a second.
  await until(async () => (await codeOf(ids(snapshot.db))) !== 'no error')
  await snapshot.end()
  await rename(`${path}.away`, path)
  for (let count = 0; count < threads; count++) {
    const next = await beginSnapshot(long)
    t.same(await ids(next.db), [])
    await next.end()
  }
})

t.test('a thread that ends by itself holds nobody up', async t => {
  for (const isBusy of [false, true]) {
    const { db } = await fileDatabase(t)
    const started = once(process, 'worker') as Promise<[Worker]>
    const snapshot = await beginSnapshot(operationDb(db, { onThread: true }))
    const [thread] = await started
    await sql`select 1`.execute(snapshot.db)
    if (!isBusy) await thread.terminate()
    const failed = t.rejects(sql`${longQuery}`.execute(snapshot.db), { message: /thread has ended/ })
    if (isBusy) await thread.terminate()
    await failed
    await snapshot.end()
    for (let count = 0; count <= threads; count++)
      t.same(await runOnThread(db, sql`select 1 as one`), [{ one: 1 }])
    await db.destroy()
  }
})

t.test('in a transaction and in memory, a long operation sees uncommitted data', async t => {
  for (const db of [(await fileDatabase(t)).db, await openDatabase('sqlite::memory:')]) {
    await db.transaction().execute(async transaction => {
      await addClient(transaction)
      const query = transaction.selectFrom('product_client').select('id')
      t.same(await runOnThread(transaction, query), [{ id: 'test-client' }])
    })
    t.same(await runOnThread(db, db.selectFrom('product_client').select('id')), [{ id: 'test-client' }])
    await db.destroy()
  }
})
