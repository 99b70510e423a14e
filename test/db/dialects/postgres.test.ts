// Runs on PostgreSQL only.
/** What the store relies on in PostgreSQL. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type Test, t } from 'tap'
import { listStoredClients } from '../../../db/accounts/clients.ts'
import type { AnyDb, Db } from '../../../db/schema.ts'
import { planFilter } from '../../../db/templates/filter/plan.ts'
import { transact } from '../../../db/transaction.ts'
import { openDatabase } from '../../../features/database.ts'
import { postgresTypes, StartError } from '../../../index.ts'
import { onServer, postgresUrl } from '../../support/database/database.ts'
import { addClient, addTemplates, addUser, database, storedTemplates } from '../../support/service/service.ts'

/** A Kysely instance as a host would have it. */
function hostDatabase(t: Test, connectionString: string, types?: pg.CustomTypesConfig): AnyDb {
  const pool = new pg.Pool({ connectionString, max: 2, ...(types && { types }) })
  // A connection that is still being closed ends with an error when the database is dropped.
  pool.on('error', () => {})
  const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
  t.teardown(() => db.destroy())
  return db as AnyDb
}

t.test('a timestamp keeps its six digits, whatever the time zone of the session', async t => {
  const url = await postgresUrl(t)
  const times = ['2026-01-02T03:04:05.000000Z', '2026-12-31T23:59:59.900001Z', '0001-01-01T00:00:00.120000Z']
  const name = new URL(url).pathname.slice(1)
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham']) {
    await onServer(url, `alter database ${name} set timezone to '${zone}'`)
    const db = await openDatabase(url)
    await db.deleteFrom('product_template').execute()
    await addTemplates(db, ...times.slice(0, 2).map(time => ({ timeCreated: time, timeModified: time })))
    const read = (await storedTemplates(db)).map(({ timeCreated }) => timeCreated)
    t.same(read, times.slice(0, 2).reverse(), zone)
    await db.destroy()
  }
})

t.test('times of all years are read, in any time zone', async t => {
  const url = await postgresUrl(t)
  const name = new URL(url).pathname.slice(1)
  const times = [
    '0001-01-01T00:00:00.000000Z',
    '1890-01-02T03:04:05.678901Z',
    '1900-06-30T23:59:59.000001Z',
    '9999-12-31T23:59:59.999999Z'
  ]
  // Paris was 9 minutes and 21 seconds ahead, New York 4 hours, 56 minutes and 2 seconds behind.
  for (const zone of ['UTC', 'Europe/Paris', 'America/New_York']) {
    await onServer(url, `alter database ${name} set timezone to '${zone}'`)
    const db = await openDatabase(url)
    const { rows } = await sql`select unnest(${times}::timestamptz[]) as time`.execute(db)
    t.same(
      rows,
      times.map(time => ({ time })),
      zone
    )
    await t.rejects(sql`select '10000-01-01T00:00:00Z'::timestamptz`.execute(db), RangeError)
    await t.rejects(sql`select '0002-01-01T00:00:00Z BC'::timestamptz`.execute(db), RangeError)
    await db.destroy()
  }
})

t.test('counts are numbers, and too large ones are refused; JSON stays text', async t => {
  const db = await database(t)
  const value = async (expression: string) =>
    (await sql.raw<{ value: unknown }>(`select ${expression} as value`).execute(db)).rows[0]?.value
  t.equal(await value('count(*)'), 1)
  t.equal(await value('9007199254740991::bigint'), Number.MAX_SAFE_INTEGER)
  await t.rejects(value('9007199254740992::bigint'), RangeError)
  t.equal(await value('true'), true)
  t.equal(await value(`'[1,  2]'::json`), '[1,  2]')
  await t.rejects(value(`'infinity'::timestamptz`), RangeError)
})

t.test('texts sort by their code points, as in SQLite', async t => {
  const db = await database(t)
  for (const id of ['b', 'a', 'B', 'ä', 'A', '_', 'z', '1']) await addClient(db, { id })
  t.same(
    (await listStoredClients(db)).map(({ id }) => id),
    ['1', 'A', 'B', '_', 'a', 'b', 'z', 'ä']
  )
})

t.test('a transaction is retried after a conflict', async t => {
  const db = await database(t)
  await addTemplates(db, {}, {})
  let runs = 0
  const add = (transaction: Db, id: number) =>
    transaction
      .updateTable('product_template')
      .set(({ eb }) => ({ max_items: eb('max_items', '+', 1) }))
      .where('id', '=', id)
      .execute()
  const both = (first: number, second: number) =>
    transact(db, async transaction => {
      runs++
      await add(transaction, first)
      // Each has one row now and wants the other's: one must give way, for a deadlock or a conflict.
      await new Promise(resolve => setImmediate(resolve))
      await add(transaction, second)
    })
  await Promise.all(Array.from({ length: 6 }, (_, turn) => (turn % 2 ? both(0, 1) : both(1, 0))))
  t.ok(runs > 6, `${runs} runs`)
  const counts = await db.selectFrom('product_template').select('max_items').execute()
  t.same(counts, [{ max_items: 16 }, { max_items: 16 }])
})

t.test('a failing transaction runs once; one that always conflicts is given up', async t => {
  const db = await database(t)
  let runs = 0
  const failing = (code: string) =>
    transact(db, async () => {
      runs++
      throw Object.assign(new Error(code), { code })
    })
  await t.rejects(failing('22012'), /22012/)
  t.equal(runs, 1)
  runs = 0
  await t.rejects(failing('40001'), /40001/)
  t.equal(runs, 10)
})

t.test("a host's own connection works if it keeps the digits, and is refused if not", async t => {
  const { productTemplates } = await import('../../../index.ts')
  const { default: Fastify } = await import('fastify')
  const url = await postgresUrl(t)
  const app = Fastify()
  t.teardown(() => app.close())
  app.register(productTemplates, { db: hostDatabase(t, url) })
  await t.rejects(app.ready() as unknown as Promise<unknown>, {
    code: 'PTS_BAD_DATABASE',
    message: /types: postgresTypes/
  })
  const good = hostDatabase(t, url, postgresTypes)
  const second = Fastify()
  t.teardown(() => second.close())
  await second.register(productTemplates, { db: good })
  await second.ready()
  await addUser(good)
  t.match(await good.selectFrom('product_user').select('time_created').execute(), [
    { time_created: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ }
  ])
})

t.test('tables of the same name in another schema are ignored', async t => {
  const url = await postgresUrl(t)
  await onServer(url, 'create schema other')
  await onServer(url, 'create table other.product_migration (name text)')
  const db = await openDatabase(url)
  t.same(await listStoredClients(db), [])
  await db.destroy()
})

t.test('an error to fix first is reported in one line, without the password', async t => {
  const good = new URL(await postgresUrl(t))
  const refused = async (change: (url: URL) => void) => {
    const url = new URL(good)
    change(url)
    const error = await openDatabase(url.href).then(
      () => undefined,
      error => error
    )
    if (!(error instanceof StartError)) throw error
    t.equal(error.code, 'PTS_BAD_DATABASE')
    t.equal(error.exitCode, 2)
    t.notMatch(error.message, new RegExp(url.password))
    return error.message
  }
  t.match(
    await refused(url => {
      url.password = 's3cr3t-wrong'
    }),
    /password authentication failed/
  )
  t.match(
    await refused(url => {
      url.pathname = 'nowhere'
    }),
    /database "nowhere" does not exist/
  )
  t.match(
    await refused(url => {
      url.searchParams.set('sslmode', 'require')
    }),
    /does not support SSL/
  )
})

t.test('a part of a name is found by trigrams, and without the extension, too', async t => {
  const db = await openDatabase(await postgresUrl(t))
  t.teardown(() => db.destroy())
  await addTemplates(db, { name: 'Amber 100%_\\' }, { name: 'amber' }, { name: '日本' })
  const find = async (contains: string) => {
    const plan = planFilter(db, { name: { contains } })
    return [...(await plan.findIds(db))].sort()
  }
  const check = async (message: string) => {
    t.same(await find('AMB'), [0, 1], message)
    t.same(await find('100%_\\'), [0])
    t.same(await find('0%\\'), [])
    t.same(await find('本'), [2])
  }
  const { rows } =
    await sql`select 1 from pg_indexes where indexname = 'product_template_name_trigrams'`.execute(db)
  t.equal(rows.length, 1)
  await check('with the extension')
  await sql`drop extension pg_trgm cascade`.execute(db)
  await check('without it')
})
