import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type Test, t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import {
  completeRevisions,
  findTemplateByHash,
  hashRevisions
} from '../../../../db/templates/revisions/hashes.ts'
import {
  findTemplateAt,
  findTemplatesAt,
  listRevisions
} from '../../../../db/templates/revisions/revisions.ts'
import { transact } from '../../../../db/transaction.ts'
import { defaultValues, type ProductTemplate } from '../../../../domain/columns.ts'
import { insertProductTemplates } from '../../../support/database/insert.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { addTemplates, database } from '../../../support/service/service.ts'

const sha256 = (text: string) => hash('sha256', text)

const small = (id: number): ProductTemplate => ({
  ...defaultValues,
  id,
  name: 'small',
  publicProduct: true,
  timeCreated: '2026-01-02T03:04:05.678901Z',
  timeModified: '2026-01-02T03:04:05.678901Z',
  data: '{}'
})

/** Runs plain SQL, as another program would. */
const run = (db: Db, statement: RawBuilder<unknown>) => statement.execute(db)

/** Lists the revisions of a template, oldest first: number, action, bytes. */
async function history(db: Db, id: number) {
  const revisions = (await listRevisions(db, id, 100)).toReversed()
  return Promise.all(
    revisions.map(async ({ number, action }) => [
      number,
      action,
      (await findTemplateAt(db, id, number))?.data
    ])
  )
}

/** Computes what triggers could not, and checks each hash against the bytes of its revision. */
async function checkHashes(t: Test, db: Db) {
  await completeRevisions(db, new AbortController().signal)
  const rows = await db.selectFrom('product_revision').selectAll().execute()
  for (const { template_id, number, hash, action } of rows) {
    const pinned = await findTemplateAt(db, template_id, number)
    t.equal(hash, action === 'DELETE' ? null : sha256(pinned?.data as string), `${template_id}, ${number}`)
  }
}

t.test('plain SQL cannot lose a revision', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 0, data: '{"a":1}', name: 'one' })
  await run(db, sql`update product_template set data = '{"a":2}' where id = 0`)
  await run(db, sql`update product_template set data = '{"a":2}', name = 'one' where id = 0`)
  await run(db, sql`update product_template set name = 'two' where id = 0`)
  await run(db, sql`update product_template set name = 'three', revision = 77 where id = 0`)
  t.same(await history(db, 0), [
    [1, 'CREATE', '{"a":1}'],
    [2, 'UPDATE', '{"a":2}'],
    [3, 'UPDATE', '{"a":2}'],
    [4, 'UPDATE', '{"a":2}']
  ])
  t.match(await findTemplateAt(db, 0, 3), {
    id: 0,
    name: 'two',
    revision: 3,
    maxItems: 10,
    publicProduct: true
  })
  t.match(await findTemplateAt(db, 0, 4), { name: 'three', revision: 4 })
  t.equal(await findTemplateAt(db, 0, 5), undefined)
  await checkHashes(t, db)
  const stored = await db.selectFrom('product_template_past').select('data').orderBy('number').execute()
  t.same(stored, [{ data: '{"a":1}' }, { data: null }, { data: null }], 'the same bytes are stored once')
})

t.test('several revisions are found as each of them is', async t => {
  const db = await database(t)
  const long = JSON.stringify({ text: 'é'.repeat(2 ** 14) })
  await addTemplates(db, { id: 0, data: '{"a":1}' }, { id: 1, data: long }, { id: 2 })
  const change = (id: number, values: RawBuilder<unknown>) =>
    run(db, sql`update product_template set ${values} where id = ${id}`)
  await change(0, sql`name = 'two'`)
  await change(0, sql`data = '{"a":3}'`)
  await change(0, sql`name = 'four'`)
  await change(1, sql`name = 'two'`)
  await change(1, sql`data = '{"a":3}'`)
  await change(1, sql`data = ${long}`)
  await run(db, sql`delete from product_template where id = 2`)
  await addTemplates(db, { id: 2, name: 'again' })
  const wanted = [0, 1, 2, 3].flatMap(id => [5, 4, 3, 2, 1].map(revision => ({ id, revision })))
  const single = await Promise.all(wanted.map(({ id, revision }) => findTemplateAt(db, id, revision)))
  const isShort = (data: string) => Buffer.byteLength(data) <= 2 ** 15
  t.same(
    await findTemplatesAt(db, wanted, true),
    single.map(each => each && { ...each, data: isShort(each.data) ? each.data : null })
  )
  t.same(
    await findTemplatesAt(db, wanted, false),
    single.map(each => each && { ...each, data: null })
  )
  t.equal(single.filter(Boolean).length, 10, 'the deletion has no contents')
  t.same(await findTemplatesAt(db, [], true), [])
})

t.test('an id that is used again goes on counting', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 5, data: '1' }, { id: 6, data: 'x' })
  await run(db, sql`delete from product_template where id = 5`)
  t.equal(await findTemplateAt(db, 5, 2), undefined, 'a deletion has no contents')
  await addTemplates(db, { id: 5, data: '3' })
  await run(db, sql`update product_template set id = 9 where id = 5`)
  await run(db, sql`update product_template set id = 5 where id = 6`)
  t.same(await history(db, 5), [
    [1, 'CREATE', '1'],
    [2, 'DELETE', undefined],
    [3, 'CREATE', '3'],
    [4, 'DELETE', undefined],
    [5, 'CREATE', 'x']
  ])
  t.same(await history(db, 9), [[1, 'CREATE', '3']])
  t.same(await history(db, 6), [
    [1, 'CREATE', 'x'],
    [2, 'DELETE', undefined]
  ])
  await checkHashes(t, db)
  t.match(await findTemplateByHash(db, sha256('1')), { id: 5, revision: 1, data: '1' })
  t.match(await findTemplateByHash(db, sha256('x')), { id: 5, revision: 5 }, 'the latest of equal bytes')
  t.equal(await findTemplateByHash(db, sha256('none')), undefined)
})

const values = sql`(id, blockchain_id, max_items, name, public_product, component_name, time_created, time_modified,
  data, name_folded, name_key) values (1, 1, 1, 'n', 1, 'c', '2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.678901Z',
  'new', 'n', 'n')`

t.test('an upsert is an update', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1, data: 'old' })
  await run(db, sql`insert into product_template ${values} on conflict (id) do nothing`)
  t.same(await history(db, 1), [[1, 'CREATE', 'old']])
  await run(
    db,
    sql`insert into product_template ${values} on conflict (id) do update set data = excluded.data`
  )
  t.same(await history(db, 1), [
    [1, 'CREATE', 'old'],
    [2, 'UPDATE', 'new']
  ])
  await run(db, sql`update product_template set name = 'other'`)
  t.match(await findTemplateAt(db, 1, 2), { data: 'new', name: 'template 0' })
  await checkHashes(t, db)
})

onlyOn('sqlite', 'SQLite: what "insert or replace" replaces is kept', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1, data: 'old' })
  await run(db, sql`insert or ignore into product_template ${values}`)
  t.same(await history(db, 1), [[1, 'CREATE', 'old']])
  await run(db, sql`insert or replace into product_template ${values}`)
  t.same(await history(db, 1), [
    [1, 'CREATE', 'old'],
    [2, 'CREATE', 'new']
  ])
  await checkHashes(t, db)
})

onlyOn('sqlite', 'SQLite: what "update or replace" replaces is kept', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1, data: 'old' }, { id: 2, data: 'moved' })
  await run(db, sql`update product_template set data = 'newer' where id = 1`)
  await run(db, sql`update or ignore product_template set id = 1 where id = 2`)
  await run(db, sql`update or replace product_template set id = 1 where id = 2`)
  t.same(await history(db, 1), [
    [1, 'CREATE', 'old'],
    [2, 'UPDATE', 'newer'],
    [3, 'CREATE', 'moved']
  ])
  t.same(await history(db, 2), [
    [1, 'CREATE', 'moved'],
    [2, 'DELETE', undefined]
  ])
  await checkHashes(t, db)
})

onlyOn('postgres', 'PostgreSQL: what "truncate" deletes is kept', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1, data: 'old' }, { id: 2, data: 'too' })
  await run(db, sql`truncate product_template`)
  t.same(await history(db, 2), [
    [1, 'CREATE', 'too'],
    [2, 'DELETE', undefined]
  ])
  await checkHashes(t, db)
})

t.test('a statement changes many templates, also on a connection that has changed one', async t => {
  const db = await database(t)
  const count = 10_000
  await transact(db, async transaction => {
    const ids = Array.from({ length: count }, (_, id) => id)
    for (let start = 0; start < count; start += 500)
      await insertProductTemplates(transaction, ids.slice(start, start + 500).map(small))
  })
  await db.transaction().execute(async connection => {
    // PostgreSQL keeps the plan of a trigger from the first time.
    await run(connection, sql`update product_template set max_items = 2 where id = 0`)
    await run(connection, sql`update product_template set max_items = 3`)
    await run(connection, sql`delete from product_template`)
  })
  const { rows } = await sql<{ count: number }>`select count(*) as count from product_revision`.execute(db)
  t.equal(rows[0]?.count, 3 * count + 1)
})

t.test('a hash that was stored meanwhile stays', async t => {
  const db = await database(t)
  await addTemplates(db, {})
  await run(db, sql`update product_revision set hash = null`)
  // As after a store was put back, whose revisions have the numbers of others.
  const storeAnother = async () => {
    await run(db, sql`update product_revision set hash = 'another' where hash is null`)
  }
  await hashRevisions(db, 1, storeAnother)
  t.same(await db.selectFrom('product_revision').select('hash').execute(), [{ hash: 'another' }])
})
