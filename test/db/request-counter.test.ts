import { type KyselyPlugin, sql } from 'kysely'
import { type Test, t } from 'tap'
import { countAttempt } from '../../db/accounts/attempts.ts'
import { openRequestCounter } from '../../db/accounts/request-counter.ts'
import type { AnyDb, Db } from '../../db/schema.ts'
import { openDatabase, productTemplates } from '../../index.ts'
import { databaseUrl, engine } from '../database.ts'
import { tokenRequest } from '../http.ts'
import { addClient, addUser, cheapHash, database, host } from '../service.ts'

const never = (error: unknown) => t.fail(String(error))
/** A counter whose timer ends with the test. */
function openCounter(t: Test, db: Db, onError: (error: unknown) => void = never) {
  const counter = openRequestCounter(db, 60, onError)
  t.teardown(() => counter.flush())
  return counter
}

const stored = async (db: Db) =>
  (await db.selectFrom('product_attempt').select('count').execute()).map(({ count }) => count)

/** The database, and how many rows were counted into so far. */
function watched(db: Db) {
  const seen = { writes: 0, fault: undefined as Error | undefined }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind === 'InsertQueryNode' && JSON.stringify(node).includes('product_attempt')) {
        if (seen.fault) throw seen.fault
        seen.writes++
      }
      return node
    },
    transformResult: async ({ result }) => result
  }
  return { db: db.withPlugin(plugin), seen }
}

/** The time of every clock in this process, until the end of the test. */
function shiftClock(t: Test, seconds: number) {
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  Date.now = () => realNow() + seconds * 1000
}

t.test('requests are counted exactly, and on SQLite stored together', async t => {
  const { db, seen } = watched(await database(t))
  const counter = openCounter(t, db)
  const counts = await Promise.all(Array.from({ length: 20 }, () => counter.count('a')))
  t.same(
    counts.map(({ count }) => count).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index + 1)
  )
  t.ok(counts.every(({ secondsLeft }) => secondsLeft > 0 && secondsLeft <= 60))
  t.equal((await counter.count('b')).count, 1)
  await Promise.all([counter.flush(), counter.flush()])
  t.equal((await counter.count('a')).count, 21)
  t.same((await stored(db)).sort(), engine === 'sqlite' ? [1, 20] : [1, 21])
  t.equal(seen.writes, engine === 'sqlite' ? 1 : 22)
  await counter.flush()
  await counter.flush()
  t.equal(seen.writes, engine === 'sqlite' ? 2 : 22, 'nothing is written twice')
})

t.test('processes share what is stored, and one that starts goes on from there', async t => {
  const db = await database(t)
  const [one, two] = [openCounter(t, db), openCounter(t, db)]
  for (let turn = 0; turn < 3; turn++) await Promise.all([one.count('a'), two.count('a')])
  await one.flush()
  await two.flush()
  t.equal((await two.count('a')).count, 7)
  await two.flush()
  t.same(await stored(db), [7])
  t.equal((await openCounter(t, db).count('a')).count, 8)
})

t.test('a window ends, whoever counted in it', async t => {
  const db = await database(t)
  const counter = openCounter(t, db)
  await counter.count('a')
  await counter.flush()
  await counter.count('a')
  shiftClock(t, 61)
  const [first, second] = await Promise.all([counter.count('a'), counter.count('a')])
  t.same([first.count, second.count].sort(), [1, 2], 'what was not stored belongs to the old window')
  await counter.flush()
  t.same(await stored(db), [2])
})

t.test('what was counted is stored a second later', { skip: engine !== 'sqlite' }, async t => {
  const db = await database(t)
  const timers: [job: () => void, milliseconds: number][] = []
  const realSetTimeout = globalThis.setTimeout
  t.teardown(() => {
    globalThis.setTimeout = realSetTimeout
  })
  globalThis.setTimeout = ((job: () => void, milliseconds: number) => {
    timers.push([job, milliseconds])
    return realSetTimeout(() => {}, 0)
  }) as never
  const counter = openCounter(t, db)
  await counter.count('a')
  await counter.count('a')
  t.same(
    timers.map(([, milliseconds]) => milliseconds),
    [1000]
  )
  t.same(await stored(db), [])
  await timers[0]?.[0]()
  t.same(await stored(db), [2])
  await counter.count('a')
  t.equal(timers.length, 2)
})

t.test('what could not be stored is stored later', { skip: engine !== 'sqlite' }, async t => {
  const { db, seen } = watched(await database(t))
  const errors: unknown[] = []
  const counter = openCounter(t, db, error => errors.push(error))
  await counter.count('a')
  seen.fault = new Error('disk full')
  await counter.flush()
  t.same(errors, [seen.fault])
  t.equal((await counter.count('a')).count, 2)
  seen.fault = undefined
  await counter.flush()
  t.same(await stored(db), [2])
})

t.test(
  'PostgreSQL waits for the disk for failed logins, not for requests',
  { skip: engine !== 'postgres' },
  async t => {
    const db = await database(t)
    await sql`create table written (subject text, setting text)`.execute(db)
    await sql`create function remember() returns trigger language plpgsql as $$
    begin insert into written values (new.subject, current_setting('synchronous_commit')); return new; end $$`.execute(
      db
    )
    await sql`create trigger remember before insert on product_attempt for each row execute function remember()`.execute(
      db
    )
    await openCounter(t, db).count('a')
    await countAttempt(db, { account: 'a' }, 60)
    const rows = await (db as AnyDb).selectFrom('written').selectAll().orderBy('subject').execute()
    t.match(rows, [
      { subject: /^account:/, setting: 'on' },
      { subject: /^client:/, setting: 'off' }
    ])
  }
)

t.test('A02 a service that is closed stores its counts, and the next one goes on from there', async t => {
  const db = await database(t)
  await addUser(db)
  await addClient(db)
  for (const statuses of [
    [200, 200],
    [200, 429]
  ]) {
    const app = host(t)
    await app.register(productTemplates, { db, ...cheapHash, clientLimit: 3 })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    for (const status of statuses) t.equal((await tokenRequest(url)).status, status)
    await app.close()
  }
  t.same(await stored(db), [4])
})

t.test('a database of its own is still open when the counts are stored', async t => {
  const url = await databaseUrl(t)
  const prepared = await openDatabase(url)
  await addUser(prepared)
  await addClient(prepared)
  await prepared.destroy()
  const app = host(t)
  await app.register(productTemplates, { database: url, ...cheapHash })
  t.equal((await tokenRequest(await app.listen({ port: 0, host: '127.0.0.1' }))).status, 200)
  await app.close()
  const reopened = await openDatabase(url)
  t.teardown(() => reopened.destroy())
  t.same(await stored(reopened), [1])
})
