/** Many templates that are written at once, as `seed` and imports do, leave the store as single ones would. */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { importTemplates } from '../../../../db/templates/import/import.ts'
import { findTemplateAt, listRevisions } from '../../../../db/templates/revisions/revisions.ts'
import { writeDecisions } from '../../../../db/templates/writing/apply.ts'
import { fullRights } from '../../../../db/templates/writing/rights.ts'
import { transact } from '../../../../db/transaction.ts'
import { readTemplatesVersion } from '../../../../db/versions.ts'
import { defaultValues, type ProductTemplate } from '../../../../domain/columns.ts'
import { engine } from '../../../support/database/database.ts'
import { insertProductTemplates } from '../../../support/database/insert.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { database } from '../../../support/service/service.ts'

const templateOf = (id: number, data = `{"id":${id}}`): ProductTemplate => ({
  ...defaultValues,
  id,
  name: 'loaded',
  publicProduct: true,
  timeCreated: '2026-01-02T03:04:05.678901Z',
  timeModified: '2026-01-02T03:04:05.678901Z',
  data
})

const load = (db: Db, templates: ProductTemplate[]) =>
  transact(db, transaction =>
    writeDecisions(
      transaction,
      templates.map(after => ({ kind: 'create', after })),
      'CREATE',
      fullRights
    )
  )

const count = 150
const many = Array.from({ length: count }, (_, id) => templateOf(id))

/** Lists the revisions of a template, oldest first: number, action, and whether the hash is that of its bytes. */
async function history(db: Db, id: number) {
  const revisions = (await listRevisions(db, id, 100)).toReversed()
  return Promise.all(
    revisions.map(async ({ number, action, hash: stored }) => {
      const { data = '' } = (await findTemplateAt(db, id, number)) ?? {}
      return [number, action, stored === hash('sha256', data)]
    })
  )
}

const update = (db: Db, id: number) =>
  sql`update product_template set name = 'changed' where id = ${id}`.execute(db)

t.test('the revisions of an empty store are recorded with their hashes', async t => {
  const db = await database(t)
  const version = await readTemplatesVersion(db)
  await load(db, many)
  const revisions = await db.selectFrom('product_revision').select(['template_id', 'hash']).execute()
  t.equal(revisions.length, count)
  t.same(
    revisions.filter(({ hash }) => hash === null),
    []
  )
  t.same(await history(db, 149), [[1, 'CREATE', true]])
  t.not(await readTemplatesVersion(db), version)
})

t.test('what follows a load is recorded as ever', async t => {
  const db = await database(t)
  await load(db, many)
  const version = await readTemplatesVersion(db)
  await update(db, 7)
  t.not(await readTemplatesVersion(db), version)
  t.match(await history(db, 7), [
    [1, 'CREATE', true],
    [2, 'UPDATE']
  ])
  await sql`delete from product_template where id = 7`.execute(db)
  await load(db, [templateOf(7), templateOf(count)])
  t.match(await history(db, 7), [
    [1, 'CREATE', true],
    [2, 'UPDATE'],
    [3, 'DELETE'],
    [4, 'CREATE', true]
  ])
  t.same(await history(db, count), [[1, 'CREATE', true]])
})

t.test('an import records the hashes of what it creates and replaces', async t => {
  const db = await database(t)
  await load(db, [templateOf(1)])
  const records = [1, 2].map(id => ({ values: templateOf(id, '{"imported":true}'), place: undefined }))
  await importTemplates(db, records, { existing: 'replace', author: fullRights })
  t.same(await history(db, 1), [
    [1, 'CREATE', true],
    [2, 'IMPORT', true]
  ])
  t.same(await history(db, 2), [[1, 'IMPORT', true]])
})

t.test('a history without templates goes on', async t => {
  const db = await database(t)
  await load(db, [templateOf(7)])
  await sql`delete from product_template`.execute(db)
  await load(db, [templateOf(7, '{"again":true}')])
  t.match(await history(db, 7), [
    [1, 'CREATE', true],
    [2, 'DELETE'],
    [3, 'CREATE', true]
  ])
})

t.test('a load that fails leaves the store as it was', async t => {
  const db = await database(t)
  await t.rejects(load(db, [...many, templateOf(0)]))
  t.equal((await db.selectFrom('product_template').select('id').execute()).length, 0)
  await load(db, [templateOf(7)])
  await update(db, 7)
  t.match(await history(db, 7), [
    [1, 'CREATE', true],
    [2, 'UPDATE']
  ])
})

/** Explains a statement. PostgreSQL reads a small table as a whole unless that is forbidden. */
async function explain(transaction: Db, statement: string): Promise<string> {
  if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(transaction)
  const verb = engine === 'postgres' ? 'explain' : 'explain query plan'
  return JSON.stringify((await sql.raw(`${verb} ${statement}`).execute(transaction)).rows)
}

t.test('what a load looks up is indexed meanwhile', async t => {
  const db = await database(t)
  const explainDuring = (statement: string) =>
    transact(db, async transaction => {
      await insertProductTemplates(transaction, [templateOf(count)])
      return explain(transaction, statement)
    })
  const indexed = /SEARCH|Index/
  t.match(await explainDuring('select 1 from product_revision where template_id = 7'), indexed, 'free ids')
  const attributes = [{ trait_type: 'MadeIn', value: 'Portugal' }]
  await load(db, [templateOf(7, JSON.stringify({ attributes }))])
  await sql`delete from product_template`.execute(db)
  t.match(
    await explainDuring('delete from product_trait where template_id = 7'),
    indexed,
    'what is left behind'
  )
})

onlyOn('sqlite', 'an index that somebody has added stays', async t => {
  const db = await database(t)
  await sql`create index "own.by_name" on product_template (name)`.execute(db)
  await load(db, many)
  const { rows } = await sql`select name from sqlite_master where name = 'own.by_name'`.execute(db)
  t.equal(rows.length, 1)
})

t.test('what plain SQL inserts after a load waits to be indexed', async t => {
  const db = await database(t)
  await load(db, many)
  t.same(await db.selectFrom('product_template_pending').selectAll().execute(), [])
  await sql`insert into product_template (id, blockchain_id, max_items, name, public_product, component_name,
    time_created, time_modified, data, name_folded, name_key)
    select ${sql.lit(count)}, blockchain_id, max_items, name, public_product, component_name, time_created,
      time_modified, data, name_folded, name_key from product_template where id = 7`.execute(db)
  const pending = await db.selectFrom('product_template_pending').select('template_id').execute()
  t.same(pending, [{ template_id: count }])
})
