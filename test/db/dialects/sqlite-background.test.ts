/** Statements that take long, on threads of their own. */
import { execFile } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { CompiledQuery, sql } from 'kysely'
import { type Test, t } from 'tap'
import { openDatabase } from '../../../db/connect.ts'
import { runInBackground } from '../../../db/dialects/engine.ts'
import { isUnavailable } from '../../../db/dialects/faults.ts'
import type { Db } from '../../../db/schema.ts'
import { sqliteUrl } from '../../database.ts'
import { withoutRunner } from '../../process.ts'
import { addClient } from '../../service.ts'

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

/** Makes sure that the threads have started, so that the next statements run at once. */
const startThreads = (db: Db) =>
  Promise.all(Array.from({ length: 2 }, () => runInBackground(db, sql`select 1`)))

const codeOf = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'no error',
    error => (isUnavailable(error) ? `${error.code}, unavailable` : error.code)
  )

t.test('it returns what the reader returns', async t => {
  const { db } = await fileDatabase(t)
  const values = sql`select 1 as number, 1.5 as real, 'ä' as text, null as none, ${'x'} as parameter
    union all select 2, 2.5, '', 0, null`
  t.same(await runInBackground(db, values), (await values.execute(db)).rows)
  t.same(await runInBackground(db, sql`select 1 as number where false`), [])
  await addClient(db)
  const query = db.selectFrom('product_client').select(['id', 'time_disabled'])
  t.same(await runInBackground(db, query), await query.execute())
})

t.test('the event loop serves others while a long statement runs', async t => {
  const { db } = await fileDatabase(t)
  // The start of a thread may take longer than the statement.
  await startThreads(db)
  let ended = false
  const long = runInBackground(db, longQuery).then(rows => {
    ended = true
    return rows
  })
  await addClient(db)
  t.same(await db.selectFrom('product_client').select('id').execute(), [{ id: 'test-client' }])
  t.same(await runInBackground(db, db.selectFrom('product_client').select('id')), [{ id: 'test-client' }])
  t.notOk(ended)
  t.same(await long, [{ count: 3_000_000 }])
})

t.test('an aborted signal ends the wait at once, and the next statement runs', async t => {
  const { db } = await fileDatabase(t)
  const gone = new AbortController()
  await startThreads(db)
  let ended = false
  // There are threads for two of them.
  const given = Array.from({ length: 4 }, () => runInBackground(db, longQuery, gone.signal))
  const other = runInBackground(db, longQuery).then(() => {
    ended = true
  })
  await new Promise(resolve => setImmediate(resolve))
  gone.abort(new Error('the client has gone'))
  for (const statement of given) await t.rejects(statement, /the client has gone/)
  t.notOk(ended)
  await t.rejects(runInBackground(db, longQuery, gone.signal), /the client has gone/)
  await other
  t.same(await runInBackground(db, sql`select 1 as one`), [{ one: 1 }])
})

t.test('closing the database ends running and waiting statements', async t => {
  const { db } = await fileDatabase(t)
  await startThreads(db)
  const statements = Array.from({ length: 3 }, () => t.rejects(runInBackground(db, longQuery), /is closed/))
  await new Promise(resolve => setImmediate(resolve))
  await db.destroy()
  await Promise.all(statements)
  await t.rejects(runInBackground(db, longQuery), /is closed/)
})

t.test('errors keep the codes of SQLite', async t => {
  const { db } = await fileDatabase(t)
  t.equal(await codeOf(runInBackground(db, sql`select missing`)), 'SQLITE_ERROR')
  t.equal(
    await codeOf(runInBackground(db, sql`delete from product_client returning id`)),
    'SQLITE_READONLY, unavailable'
  )
  const unsendable = { compile: () => CompiledQuery.raw('select ?', [() => {}]) }
  await t.rejects(runInBackground(db, unsendable), { name: 'DataCloneError' })
  t.same(await runInBackground(db, sql`select 1 as one`), [{ one: 1 }])
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
    t.equal(await codeOf(runInBackground(db, ids)), moved)
    await putBack()
    t.same(await runInBackground(db, ids), expected)
    await replace()
    // What was seen a moment before holds for a tenth of a second.
    while ((await codeOf(runInBackground(db, ids))) === 'no error');
    t.equal(await codeOf(runInBackground(db, ids)), moved)
    await putBack()
    t.same(await runInBackground(db, ids), expected)
  }
)

t.test('an idle thread does not keep the process alive, a busy one does', async t => {
  const { db, url } = await fileDatabase(t)
  const script = `
    import { CompiledQuery, sql } from 'kysely'
    import { openDatabase } from './db/connect.ts'
    import { runInBackground } from './db/dialects/engine.ts'
    const db = await openDatabase('${url}')
    await runInBackground(db, sql\`select 1\`)
    console.log(await runInBackground(db, sql.raw(process.argv[1])))`
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

t.test('in a transaction and in memory, the query sees uncommitted data', async t => {
  for (const db of [(await fileDatabase(t)).db, await openDatabase('sqlite::memory:')]) {
    await db.transaction().execute(async transaction => {
      await addClient(transaction)
      const query = transaction.selectFrom('product_client').select('id')
      t.same(await runInBackground(transaction, query), [{ id: 'test-client' }])
    })
    t.same(await runInBackground(db, db.selectFrom('product_client').select('id')), [{ id: 'test-client' }])
    await db.destroy()
  }
})
