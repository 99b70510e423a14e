/** Whole operations on worker threads. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { sql } from 'kysely'
import { type Test, t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { readRule } from '../../../db/templates/rule.ts'
import { openDatabase } from '../../../features/database.ts'
import { ThreadMemoryExceeded, WorkerThreads } from '../../../graphql/threads/pool.ts'
import { productTemplates } from '../../../index.ts'
import { engine, sqliteUrl } from '../../support/database/database.ts'
import { hostDatabase } from '../../support/database/host-database.ts'
import { accessToken, graphqlRequest } from '../../support/http/http.ts'
import { addClient, addUser, cheapHash, host, testLimits } from '../../support/service/service.ts'
import { caller, makeTask, threadsOn } from './support.ts'

const list = '{ allProducts { id } }'
const data = JSON.stringify('{"name":"a","attributes":[]}')
const create = `mutation { createProduct(input: { blockchainId: 1, maxItems: 1, name: "a", data: ${data} }) { product { name } } }`
const created = '{"data":{"createProduct":{"product":{"name":"a"}}}}'

/** Holds up all writers until the returned function is called. They give up after some seconds. */
async function holdUpWriters(db: Db): Promise<() => Promise<void>> {
  const held = await db.startTransaction().execute()
  if (engine === 'postgres') await sql`lock table product_template in exclusive mode`.execute(held)
  return () => held.rollback().execute()
}

/** Starts a thread for each of the places, so that the next operations run at once. */
const startThreads = (run: Awaited<ReturnType<typeof threadsOn>>['run']) =>
  Promise.all(['one', 'one', 'two'].map(token => run(list, { token })).concat(run(list, { isShort: true })))

t.test('an operation has the same bytes as over HTTP', async t => {
  const long = {
    id: 3,
    data: JSON.stringify({ attributes: [{ trait_type: 'ä', value: 'x'.repeat(100_000) }] })
  }
  const { url, db, run } = await threadsOn(t, [{ id: 1 }, { id: 2, name: 'ä' }, long])
  await addUser(db)
  await addClient(db)
  const app = host(t)
  await app.register(productTemplates, { ...cheapHash, ...testLimits, database: url })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const token = await accessToken(origin)
  for (const query of [
    '{ allProducts { id name data timeCreated document { attributes { value } } } traits { type } }',
    'query ($id: Int!) { product(id: $id) { id name } products(first: 1) { nodes { id } totalCount } }',
    '{ product(id: -1) { id } users(first: 1) { nodes { id } } }',
    '{ missing }',
    '{'
  ]) {
    const request = { query, variables: { id: 2 } }
    const response = await graphqlRequest(origin, token, request)
    t.equal(await run(query, { parameters: request }), await response.text(), query)
  }
})

t.test('an answer tells what the caller of the pool needs', async t => {
  const { pool, run } = await threadsOn(t, [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' }
  ])
  const rule = readRule({ name: { equals: 'b' } }).text
  t.equal(await run(list, { caller: { ...caller, rule } }), '{"data":{"allProducts":[{"id":2}]}}')
  t.match(await run('{ allProducts { id } missing }'), /GRAPHQL_VALIDATION_FAILED/)
  const options = { token: 'one', isShort: false, signal: new AbortController().signal }
  const { executed } = await pool.run(() => makeTask(list, { maxResultSize: 10 }), options)
  t.match(executed.failure, 'exceeds 10 bytes', 'the service logs it')
  t.same(pool.readMetricValues(), {
    graphql_threads_running: 0,
    graphql_threads_waiting: 0,
    graphql_threads_terminated_total: 0
  })
})

t.test(
  'the threads give way to the thread of the service',
  { skip: process.platform !== 'linux' },
  async t => {
    const { run } = await threadsOn(t, [])
    await run(list)
    const readNiceness = (thread: string | number) => {
      // The second field is the name in parentheses; nice is field 19.
      const [, fields = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(/^.*\) /s)
      return Number(fields.split(' ')[16])
    }
    const own = getPriority()
    t.equal(readdirSync('/proc/self/task').filter(thread => readNiceness(thread) > own).length, 1)
    t.equal(readNiceness(process.pid), own)
  }
)

t.test('the log of the service gets the whole error that a thread has masked', async t => {
  const { db, pool, run } = await threadsOn(t, [{}])
  await run(list)
  await db.schema.alterTable('product_template').renameTo('gone').execute()
  const options = { token: 'one', isShort: false, signal: new AbortController().signal }
  const { executed, maskedErrors } = await pool.run(() => makeTask(list), options)
  const [{ extensions }] = JSON.parse(String(executed.body)).errors
  t.match(maskedErrors, [
    { errorId: extensions.id, failure: { message: /product_template/, stack: /\n +at / } }
  ])
  t.match(maskedErrors, [
    { failure: { name: /^(SqliteError|error)$/, fields: { code: /^(SQLITE_ERROR|42P01)$/ } } }
  ])
})

t.test('an abort ends the thread at once, and the next operation runs', async t => {
  const { db, pool, run } = await threadsOn(t, [])
  await startThreads(run)
  const release = await holdUpWriters(db)
  const gone = new AbortController()
  const running = run(create, { signal: gone.signal })
  const waiting = ['one', 'one'].map(() => run(create, { signal: gone.signal }))
  await turn()
  t.match(pool.readMetricValues(), { graphql_threads_running: 2, graphql_threads_waiting: 1 })
  gone.abort(new Error('the client has gone'))
  for (const operation of [running, ...waiting]) await t.rejects(operation, /the client has gone/)
  await t.rejects(run(list, { signal: gone.signal }), /the client has gone/)
  t.equal(await run(list), '{"data":{"allProducts":[]}}')
  t.equal(pool.readMetricValues().graphql_threads_terminated_total, 2)
  await release()
  t.equal(await run(create), created)
  t.equal(
    await run('{ allProducts { name } }'),
    '{"data":{"allProducts":[{"name":"a"}]}}',
    'the aborted ones have written nothing'
  )
})

t.test('a thread that fails while it ends disturbs nobody', async t => {
  const threads: Worker[] = []
  const add = (thread: Worker) => threads.push(thread)
  process.on('worker', add)
  t.teardown(() => process.off('worker', add))
  const { db, run } = await threadsOn(t, [])
  await run(list)
  const release = await holdUpWriters(db)
  const gone = new AbortController()
  const running = run(create, { signal: gone.signal })
  await turn()
  gone.abort(new Error('the client has gone'))
  await t.rejects(running, /the client has gone/)
  const starting = run(list, { token: 'two' })
  // As a thread says that its memory was used up before it was aborted.
  threads[0]?.emit('error', new Error('out of memory'))
  t.equal(await starting, '{"data":{"allProducts":[]}}')
  await release()
  t.equal(await run(create), created)
})

t.test('if no thread can be made, only the operation is refused', async t => {
  // A thread needs a copy of its data, and a function has none.
  const pool = new WorkerThreads({ settings: { hasNoCopy: () => {} } } as never)
  const gone = new AbortController()
  const running = pool.run(() => makeTask(list), { token: 'one', isShort: false, signal: gone.signal })
  await t.rejects(running, /temporarily unavailable/)
  gone.abort()
  await pool.close()
  t.same(pool.readMetricValues(), {
    graphql_threads_running: 0,
    graphql_threads_waiting: 0,
    graphql_threads_terminated_total: 0
  })
})

t.test('a token leaves a thread to the others, and long operations one to the short ones', async t => {
  const { db, pool, run } = await threadsOn(t, [])
  await startThreads(run)
  const release = await holdUpWriters(db)
  const ended: string[] = []
  const start = (token: string) =>
    run(create, { token }).then(text => {
      ended.push(token)
      return text
    })
  const ofOne = ['one', 'one', 'one', 'one'].map(start)
  await turn()
  t.match(pool.readMetricValues(), { graphql_threads_running: 2, graphql_threads_waiting: 2 })
  const operations = [...ofOne, ...['two', 'two'].map(start)]
  await turn()
  t.match(pool.readMetricValues(), { graphql_threads_running: 3, graphql_threads_waiting: 3 })
  t.equal(await run(list, { token: 'one', isShort: true }), '{"data":{"allProducts":[]}}')
  t.same(ended, [])
  await release()
  for (const operation of operations) t.equal(await operation, created)
  t.match(pool.readMetricValues(), { graphql_threads_running: 0, graphql_threads_waiting: 0 })
})

t.test('an operation that needs too much memory fails alone, and its thread is replaced', async t => {
  const templates = Array.from({ length: 100 }, (_, id) => ({ id }))
  const { pool, run } = await threadsOn(t, templates, { maxHeap: 40 })
  const aliases = Array.from({ length: 3000 }, (_, index) => `a${index}: id`).join(' ')
  const lists = ['a', 'b', 'c'].map(name => `${name}: products(first: 100) { nodes { ...all } }`)
  const large = run(`{ ${lists.join(' ')} } fragment all on ProductTemplate { ${aliases} }`)
  const small = run('{ product(id: 1) { id } }', { token: 'two' })
  t.ok((await large.catch(error => error)) instanceof ThreadMemoryExceeded)
  t.equal(await small, '{"data":{"product":{"id":1}}}')
  t.equal(await run('{ product(id: 2) { id } }'), '{"data":{"product":{"id":2}}}')
  t.equal(pool.readMetricValues().graphql_threads_terminated_total, 1)
})

t.test('closing ends running and waiting operations, which the client may repeat', async t => {
  const { db, pool, run } = await threadsOn(t, [])
  await startThreads(run)
  const release = await holdUpWriters(db)
  const operations = ['one', 'one', 'one'].map(token => run(create, { token }))
  await turn()
  const refused = new Error('the service is temporarily unavailable')
  await Promise.all([pool.close(), ...operations.map(each => t.rejects(each, refused))])
  await t.rejects(run(list), refused)
  await release()
})

t.test('idle threads end, and an idle pool lets the process end', async t => {
  const { url } = await threadsOn(t, [])
  const main = fileURLToPath(new URL('./idle-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [main, url])
  t.equal(stdout, 'no thread\n1 thread\n')
})

/** A file as the command opens it. */
async function openedFile(t: Test): Promise<Db> {
  const db = await openDatabase(await sqliteUrl(t))
  t.teardown(() => db.destroy())
  return db
}

t.test(
  'a service has worker threads, and metrics of them, unless no thread can open its database',
  async t => {
    const file = host(t)
    await file.register(productTemplates, { database: await sqliteUrl(t), metrics: true })
    const opened = host(t)
    await opened.register(productTemplates, { db: await openedFile(t), metrics: true })
    for (const app of [file, opened])
      t.match((await app.inject('/metrics')).body, /^product_templates_graphql_threads_running 0$/m)
    const { db } = await hostDatabase(t)
    for (const options of [{ db }, { database: 'sqlite::memory:' }]) {
      const app = host(t)
      await app.register(productTemplates, { ...options, metrics: true })
      t.notMatch((await app.inject('/metrics')).body, /graphql_threads/)
    }
  }
)
