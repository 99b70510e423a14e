import { sql } from 'kysely'
import { type Test, t } from 'tap'
import { migrate } from '../../db/migrate.ts'
import type { MigratedDb } from '../../db/migrations/columns.ts'
import { recordChanges, templateColumns } from '../../db/migrations/triggers/history.ts'
import type { AnyDb, Db } from '../../db/schema.ts'
import { migrations, openDatabase } from '../../features/database.ts'
import { databaseUrl } from '../support/database/database.ts'
import { run } from '../support/service/process.ts'
import { addTemplates } from '../support/service/service.ts'

async function open(t: Test, url: string): Promise<Db> {
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  return db
}

/** Adds a migration until the end of the test. */
function add(t: Test, name: string, up: (db: MigratedDb) => Promise<void>): void {
  migrations[name] = { up }
  t.teardown(() => delete migrations[name])
}

const names = async (db: AnyDb): Promise<string[]> =>
  (await db.selectFrom('product_migration').select('name').orderBy('name').execute()).map(({ name }) => name)

t.test('each migration runs once, in order', async t => {
  const all = Object.keys(migrations)
  t.same(all, all.toSorted(), 'names sort in the order of the list')
  const db = await open(t, await databaseUrl(t))
  t.same(await names(db), all)
  t.same(await migrate(db, migrations), [])
})

t.test('three processes migrate a new database at once', async t => {
  const url = await databaseUrl(t)
  const ended = await Promise.all([1, 2, 3].map(() => run(t, ['migrate'], { DATABASE_URL: url })))
  for (const { code, stderr } of ended) t.equal(code, 0, stderr)
  const db = await open(t, url)
  t.same(await names(db), Object.keys(migrations))
})

t.test('three connections migrate a new database at once', async t => {
  const url = await databaseUrl(t)
  const [first] = await Promise.all([open(t, url), open(t, url), open(t, url)])
  t.same(await names(first), Object.keys(migrations))
})

t.test('a failed migration is rolled back, and those before it stay', async t => {
  const url = await databaseUrl(t)
  let isWrong = true
  add(t, '9000-one', db => db.schema.createTable('product_one').addColumn('x', 'text').execute())
  add(t, '9001-two', async db => {
    await db.schema.createTable('product_two').addColumn('x', 'text').execute()
    if (isWrong) throw new Error('it fails')
  })
  await t.rejects(openDatabase(url), /it fails/)
  isWrong = false
  delete migrations['9001-two']
  const db = await open(t, url)
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  t.same([tables.includes('product_one'), tables.includes('product_two')], [true, false])
  add(t, '9001-two', async () => {})
  t.same(await migrate(db, migrations), ['9001-two'])
})

t.test('a store with newer steps opens unless it says that a program must know them', async t => {
  const db = await open(t, await databaseUrl(t))
  await (db as AnyDb).insertInto('product_migration').values({ name: '9999-later', time: '' }).execute()
  t.same(await migrate(db, migrations), [])
  await db.updateTable('product_store').set({ oldest_migration: '9999-later' }).execute()
  await t.rejects(migrate(db, migrations), { code: 'PTS_BAD_DATABASE', message: /9999-later\): upgrade/ })
})

t.test('the column of a later migration is in the revisions, also of stored templates', async t => {
  const former = await open(t, await databaseUrl(t))
  await addTemplates(former, { id: 0 })
  add(t, '9000-category', async db => {
    for (const table of ['product_template', 'product_template_past'])
      await sql`alter table ${sql.table(table)} add column category text`.execute(db)
    await recordChanges(db, [...templateColumns, 'category'])
  })
  t.same(await migrate(former, migrations), ['9000-category'])
  const fresh = await open(t, await databaseUrl(t))
  await addTemplates(fresh, { id: 0 })
  for (const db of [former, fresh]) {
    await sql`update product_template set category = 'lights' where id = 0`.execute(db)
    await sql`update product_template set category = 'tables' where id = 0`.execute(db)
    const { rows } = await sql`select number, category from product_template_past order by number`.execute(db)
    t.same(rows, [
      { number: 1, category: null },
      { number: 2, category: 'lights' }
    ])
  }
})
