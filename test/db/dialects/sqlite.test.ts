// Runs on SQLite only.
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { Kysely, sql } from 'kysely'
import { t } from 'tap'
import { SqliteDialect } from '../../../db/dialects/sqlite/dialect.ts'
import { openDatabase } from '../../../features/database.ts'
import { directory, sqliteUrl } from '../../support/database/database.ts'

/** A database that counts how often a statement is prepared. */
function counting() {
  const file = new Sqlite(':memory:')
  const prepare = file.prepare.bind(file)
  const prepared: string[] = []
  file.prepare = ((text: string) => {
    prepared.push(text)
    return prepare(text)
  }) as typeof file.prepare
  const db = new Kysely<{ note: { id: number; text: string } }>({ dialect: new SqliteDialect(file) })
  return { db, prepared, file }
}

t.test('a statement is prepared once, and reads the columns that the table has then', async t => {
  const { db, prepared } = counting()
  t.teardown(() => db.destroy())
  await db.schema.createTable('note').addColumn('id', 'integer').addColumn('text', 'text').execute()
  await db.insertInto('note').values({ id: 1, text: 'first' }).execute()
  const read = () => db.selectFrom('note').selectAll().where('id', '=', 1).execute()
  for (let turn = 0; turn < 10; turn++) t.same(await read(), [{ id: 1, text: 'first' }])
  await db.schema.alterTable('note').addColumn('more', 'text').execute()
  t.same(await read(), [{ id: 1, text: 'first', more: null }])
  await db.schema.alterTable('note').dropColumn('text').execute()
  t.same(await read(), [{ id: 1, more: null }])
  t.equal(prepared.filter(text => text.startsWith('select')).length, 1)
})

t.test('a reader has the columns that a writer has changed, on its own handle', async t => {
  const path = join(await directory(t), 'templates.db')
  const db = new Kysely<{ note: { id: number } }>({
    dialect: new SqliteDialect(new Sqlite(path), new Sqlite(path))
  })
  t.teardown(() => db.destroy())
  await db.schema.createTable('note').addColumn('id', 'integer').execute()
  const read = () => db.selectFrom('note').selectAll().execute()
  await db.insertInto('note').values({ id: 1 }).execute()
  t.same(await read(), [{ id: 1 }])
  await db.schema.alterTable('note').addColumn('more', 'text').execute()
  t.same(await read(), [{ id: 1, more: null }])
  await db.schema.dropTable('note').execute()
  await t.rejects(read(), { message: 'no such table: note' })
})

t.test('the cache of statements is bounded', async t => {
  const { db, prepared } = counting()
  t.teardown(() => db.destroy())
  const numbered = (number: number) => sql`select ${sql.lit(number)} as n`.execute(db)
  for (let number = 0; number < 300; number++) await numbered(number)
  await numbered(299)
  t.equal(prepared.length, 300, 'the last one is still there')
  await numbered(0)
  t.equal(prepared.length, 301, 'the first one had to make room')
})

t.test('a statement waits to be prepared while another process recovers the file', async t => {
  const path = join(await directory(t), 'templates.db')
  const [writer, reader] = [new Sqlite(path), new Sqlite(path)]
  const db = new Kysely({ dialect: new SqliteDialect(writer, reader) })
  t.teardown(() => db.destroy())
  const prepare = reader.prepare.bind(reader)
  let attempts = 0
  reader.prepare = ((text: string) => {
    if (attempts++ === 0) throw new Sqlite.SqliteError('database is locked', 'SQLITE_BUSY_RECOVERY')
    return prepare(text)
  }) as typeof reader.prepare
  t.same((await sql`select 1 as one`.execute(db)).rows, [{ one: 1 }])
  t.equal(attempts, 2)
})

t.test('a waiting writer does not block the event loop', async t => {
  const url = `sqlite:${join(await directory(t), 'templates.db')}`
  const [one, two] = [await openDatabase(url), await openDatabase(url)]
  t.teardown(() => Promise.all([one.destroy(), two.destroy()]))
  const client = (id: string) => ({
    id,
    secret_hash: '',
    grant_types: '',
    scope: '',
    time_created: '',
    time_modified: ''
  })
  const order: string[] = []
  await Promise.all([
    one.transaction().execute(async transaction => {
      await transaction.insertInto('product_client').values(client('one')).execute()
      for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
      order.push('one')
    }),
    two
      .insertInto('product_client')
      .values(client('two'))
      .execute()
      .then(() => order.push('two'))
  ])
  t.same(order, ['one', 'two'])
})

t.test('a failed transaction is rolled back and the next one works', async t => {
  const { db } = counting()
  t.teardown(() => db.destroy())
  await db.schema.createTable('note').addColumn('id', 'integer').addColumn('text', 'text').execute()
  const insert = (id: number) =>
    db.transaction().execute(async transaction => {
      await transaction.insertInto('note').values({ id, text: '' }).execute()
      if (id === 1) throw new Error('changed my mind')
    })
  await t.rejects(insert(1), /changed my mind/)
  await insert(2)
  t.same(await db.selectFrom('note').select('id').execute(), [{ id: 2 }])
})

t.test('readers continue during a transaction and do not see its changes', async t => {
  const db = await openDatabase(await sqliteUrl(t))
  t.teardown(() => db.destroy())
  const count = async () => (await db.selectFrom('product_client').select('id').execute()).length
  const client = { id: 'a', secret_hash: '', grant_types: '', scope: '', time_created: '', time_modified: '' }
  await db.transaction().execute(async transaction => {
    await transaction.insertInto('product_client').values(client).execute()
    t.equal(await count(), 0)
  })
  t.equal(await count(), 1)
})

t.test('a database in memory does not show uncommitted data', async t => {
  const db = await openDatabase('sqlite::memory:')
  t.teardown(() => db.destroy())
  const client = { id: 'a', secret_hash: '', grant_types: '', scope: '', time_created: '', time_modified: '' }
  let count: Promise<unknown[]> | undefined
  const failed = db.transaction().execute(async transaction => {
    await transaction.insertInto('product_client').values(client).execute()
    count = db.selectFrom('product_client').select('id').execute()
    await new Promise(resolve => setImmediate(resolve))
    throw new Error('changed my mind')
  })
  await t.rejects(failed, /changed my mind/)
  t.same(await count, [])
})
