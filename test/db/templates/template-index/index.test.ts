// Runs in test:all only.
/** The index that finds templates is derived from them: it follows whoever writes, and can be made again. */

import { setImmediate } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { type Test, t } from 'tap'
import { compareTemplates } from '../../../../cli/doctor/compare-templates.ts'
import { migrate } from '../../../../db/migrate.ts'
import type { Db } from '../../../../db/schema.ts'
import { reindexTemplates } from '../../../../db/templates/template-index/entries.ts'
import {
  beginRebuild,
  continueRebuild,
  maintainIndex
} from '../../../../db/templates/template-index/rebuild.ts'
import { ensureIndexed, indexPending } from '../../../../db/templates/template-index/state.ts'
import { updateTemplates } from '../../../../db/templates/writing/bulk-write.ts'
import { fullRights } from '../../../../db/templates/writing/rights.ts'
import { transact } from '../../../../db/transaction.ts'
import type { ProductTemplate } from '../../../../domain/columns.ts'
import { editTraits } from '../../../../domain/edit-traits.ts'
import { migrations, openDatabase } from '../../../../features/database.ts'
import * as store from '../../../../store.ts'
import { awkwardTemplates } from '../../../graphql/reading/store.ts'
import { databaseUrl, engine, onServer } from '../../../support/database/database.ts'
import { insertProductTemplates } from '../../../support/database/insert.ts'
import { onlyOn } from '../../../support/database/only-on.ts'
import { addTemplates, storedTemplates } from '../../../support/service/service.ts'
import { allFacets, checkAnswers } from '../answers.ts'
import { insertPlain, staleStore } from '../stale-store.ts'

async function open(t: Test, url: string): Promise<Db> {
  const db = await openDatabase(url)
  t.teardown(() => db.destroy())
  return db
}

/** Runs a statement in a session of its own, as a client of the engine does. */
async function plainly(url: string, statement: string): Promise<void> {
  if (engine === 'postgres') return void (await onServer(url, statement))
  const file = new Sqlite(url.slice('sqlite:'.length))
  file.exec(statement)
  file.close()
}

t.test('a store with another index says so until it is indexed, and answers right then', async t => {
  const templates = awkwardTemplates(450)
  const db = await open(t, await staleStore(t, templates))
  await t.rejects(ensureIndexed(db), { code: 'PTS_NOT_READY' })
  t.equal((await storedTemplates(db)).length, 450, 'a list needs no index')
  await continueRebuild(db)
  await checkAnswers(t, db, templates)
  t.same(await migrate(db, migrations), [])
  await ensureIndexed(db)
})

t.test('a service takes the index back from another program that starts during an upgrade', async t => {
  const db = await open(t, await databaseUrl(t))
  const templates = awkwardTemplates(20)
  await addTemplates(db, ...templates)
  await db.updateTable('product_template_index').set({ version: 1, complete: 1 }).execute()
  await t.rejects(ensureIndexed(db), { code: 'PTS_NOT_READY' })
  await maintainIndex(db, { signal: new AbortController().signal, report: () => {} })
  await checkAnswers(t, db, templates)
})

t.test('a store without templates is ready at once', async t => {
  for (const url of [await databaseUrl(t), await staleStore(t, [])]) {
    const db = await open(t, url)
    await ensureIndexed(db)
    const templates = awkwardTemplates(20)
    await addTemplates(db, ...templates)
    await checkAnswers(t, db, templates)
  }
})

t.test('what plain SQL inserts, updates and deletes is found at the next question', async t => {
  const url = await databaseUrl(t)
  const db = await open(t, url)
  const templates = awkwardTemplates(60)
  await addTemplates(db, ...templates)
  const change = async (statement: string, changed: ProductTemplate[]) => {
    await plainly(url, statement)
    await ensureIndexed(db)
    await checkAnswers(t, db, changed, statement)
    return changed
  }
  const [one, two, ...rest] = templates as [ProductTemplate, ProductTemplate, ...ProductTemplate[]]
  await change(`delete from product_template where id = ${one.id}`, [two, ...rest])
  const made = { ...two, data: '{"attributes":[{"trait_type":"MadeIn","value":"Portugal"}]}' }
  await change(`update product_template set data = '${made.data}' where id = ${made.id}`, [made, ...rest])
  const oak = { ...made, name: 'The Oak' }
  await change(`update product_template set name = '${oak.name}' where id = ${oak.id}`, [oak, ...rest])
  const moved = { ...oak, id: 9_000_001 }
  await change(`update product_template set id = ${moved.id} where id = ${oak.id}`, [moved, ...rest])
  const copied = { ...moved, id: oak.id }
  const columns =
    'blockchain_id, max_items, name, public_product, component_name, time_created, time_modified, data'
  await change(
    `insert into product_template (id, ${columns}) select ${copied.id}, ${columns} from product_template where id = ${moved.id}`,
    [copied, moved, ...rest]
  )
  await change(`update product_template set name_key = 'zzz', name_folded = 'zzz'`, [copied, moved, ...rest])
  await change('delete from product_template', [])
  await addTemplates(db, ...templates)
  await checkAnswers(t, db, templates, 'the same numbers again')
  const truncate = engine === 'postgres' ? 'truncate product_template' : 'delete from product_template'
  await plainly(url, truncate)
  // On PostgreSQL the service prepares the index again, or the next one that opens the store.
  await migrate(db, migrations)
  await ensureIndexed(db)
  await checkAnswers(t, db, [], truncate)
})

t.test('what the service changes is found: words, traits, or both', async t => {
  const db = await open(t, await databaseUrl(t))
  const data = (value: string, description: string) =>
    JSON.stringify({ description, attributes: [{ trait_type: 'MadeIn', value }] })
  const [one, two] = awkwardTemplates(2) as [ProductTemplate, ProductTemplate]
  let changed = { ...one, name: 'Plain', data: data('Spain', 'new') }
  await addTemplates(db, changed, two)
  for (const change of [
    { name: 'Rare oak' },
    { data: data('Portugal', 'new') },
    { data: data('Portugal', 'old') },
    { name: 'Amber', data: data('Spain', 'an odd text') },
    { data: '{}' }
  ]) {
    const { problems } = await store.templates.update(db, one.id, change, {
      validation: { validation: 'off' }
    })
    t.same(problems, [])
    changed = { ...changed, ...change }
    await checkAnswers(t, db, [changed, two], JSON.stringify(change))
  }
})

t.test('a change of many indexes what it has set and removed, and leaves the rest', async t => {
  const db = await open(t, await databaseUrl(t))
  // Together, the documents are longer than what waits to be indexed.
  const padding = 'another word or two '.repeat(150)
  const traits = {
    set: [
      { traitType: 'MadeIn', value: 'Portugal' },
      { traitType: 'FeaturesArray', value: ['blue', 'new'] },
      { traitType: 'Note', value: `a long text ${padding}` }
    ],
    remove: ['UnitsProduced']
  }
  const templates = awkwardTemplates(700).filter(({ data }) => editTraits(data, traits) !== undefined)
  await addTemplates(db, ...templates)
  const ids = templates.map(({ id }) => id)
  const validation = { validation: 'off' } as const
  const { written, problems } = await updateTemplates(
    db,
    ids,
    { values: {}, traits },
    { validation, author: fullRights }
  )
  t.same(problems, [])
  t.equal(written.length, templates.length)
  t.same(await db.selectFrom('product_template_pending').selectAll().execute(), [])
  await checkAnswers(t, db, await storedTemplates(db))
  t.same((await compareTemplates(db, true)).unindexed, [])
  const facets = await allFacets(db)
  await beginRebuild(db)
  await continueRebuild(db)
  t.same(await allFacets(db), facets)
})

t.test('what the service writes is marked for nobody, and what plain SQL has marked stays so', async t => {
  const url = await databaseUrl(t)
  const db = await open(t, url)
  const [one] = awkwardTemplates(1) as [ProductTemplate]
  const pending = async () =>
    (await db.selectFrom('product_template_pending').select('template_id').execute()).length
  const { product } = await store.templates.create(db, one, { validation: { validation: 'off' } })
  t.equal(await pending(), 0)
  await plainly(url, "update product_template set name = 'Rare oak'")
  t.equal(await pending(), 1)
  // Its words and traits are as before, so it is not indexed again, and the new name is still unknown to the index.
  await store.templates.update(db, one.id, { maxItems: 5 })
  t.equal(await pending(), 1)
  await checkAnswers(t, db, [{ ...one, ...product, name: 'Rare oak', maxItems: 5 }])
  t.equal(await pending(), 0)
})

t.test('in one transaction, what a host writes by plain SQL after the service is found, too', async t => {
  const db = await open(t, await databaseUrl(t))
  const templates = awkwardTemplates(4)
  await addTemplates(db, ...templates)
  const [{ id }, { id: renamed }] = templates as [ProductTemplate, ProductTemplate]
  const usual = { blockchainId: 1, maxItems: 1, publicProduct: true, componentName: 'DefaultProduct' }
  const values = (name: string) => ({ ...usual, name, data: '{"description":"new"}' })
  const validation = { validation: 'off' } as const
  const writes: [string, (host: Db) => Promise<{ problems: unknown[] }>][] = [
    ['create', host => store.templates.create(host, { id: 9_000_001, ...values('one') }, { validation })],
    ['update of words', host => store.templates.update(host, id, values('two'), { validation })],
    ['update of nothing indexed', host => store.templates.update(host, id, { maxItems: 9 }, { validation })],
    ['dry run', host => store.templates.update(host, id, values('three'), { validation, dryRun: true })],
    ['delete', host => store.templates.delete(host, id)],
    ['restore', host => store.templates.restore(host, id, 1)],
    [
      'import',
      host =>
        store.templates.import(host, [{ values: { id: 9_000_002, ...values('four') }, place: undefined }])
    ],
    [
      'load',
      async host => {
        await transact(host, transaction => insertProductTemplates(transaction, awkwardTemplates(5).slice(4)))
        return { problems: [] }
      }
    ],
    [
      'reindex',
      async host => {
        await transact(host, transaction => reindexTemplates(transaction, [renamed], [renamed]))
        return { problems: [] }
      }
    ]
  ]
  for (const [how, write] of writes) {
    await db.transaction().execute(async transaction => {
      t.same((await write(transaction)).problems, [], how)
      const name = `oak after ${how}`
      await transaction.updateTable('product_template').set({ name }).where('id', '=', renamed).execute()
    })
    t.same(await db.selectFrom('product_template_pending').select('template_id').execute(), [
      { template_id: renamed }
    ])
    await checkAnswers(t, db, await storedTemplates(db), how)
  }
})

onlyOn(
  'sqlite',
  'the list of pending templates has a template once, however often plain SQL writes it',
  async t => {
    const url = await databaseUrl(t)
    const db = await open(t, url)
    const [one] = awkwardTemplates(1) as [ProductTemplate]
    await addTemplates(db, one)
    for (const name of ['Elm', 'Ash', 'Yew'])
      await plainly(url, `update product_template set name = '${name}'`)
    // Stores that earlier releases made have only this column.
    t.same(await db.selectFrom('product_template_pending').selectAll().execute(), [{ template_id: one.id }])
    await checkAnswers(t, db, [{ ...one, name: 'Yew' }])
  }
)

t.test('many that are pending are not waited for', async t => {
  const db = await open(t, await databaseUrl(t))
  const templates = awkwardTemplates(1005)
  await db.transaction().execute(async transaction => {
    for (const template of templates) await insertPlain(transaction, template)
  })
  await t.rejects(ensureIndexed(db), { code: 'PTS_NOT_READY' })
  await indexPending(db)
  await Promise.all([ensureIndexed(db), ensureIndexed(db), ensureIndexed(db)])
  await checkAnswers(t, db, templates)
})

t.test('an index is made again while it answers, and gets rid of what should not be there', async t => {
  const db = await open(t, await databaseUrl(t))
  const templates = awkwardTemplates(450)
  await addTemplates(db, ...templates)
  const facets = await allFacets(db)
  await beginRebuild(db)
  let under = true
  const rebuilt = continueRebuild(db).finally(() => {
    under = false
  })
  while (under) {
    await checkAnswers(t, db, templates, 'right meanwhile')
    await setImmediate()
  }
  await rebuilt
  t.same(await allFacets(db), facets)
})

t.test('many that are loaded at once are indexed as one by one', async t => {
  const db = await open(t, await databaseUrl(t))
  const templates = awkwardTemplates(700)
  for (const part of [templates.slice(0, 500), templates.slice(500)]) {
    await transact(db, async transaction => {
      for (let start = 0; start < part.length; start += 70)
        await insertProductTemplates(transaction, part.slice(start, start + 70))
    })
  }
  t.same(await db.selectFrom('product_template_pending').selectAll().execute(), [])
  await checkAnswers(t, db, templates)
  const facets = await allFacets(db)
  await beginRebuild(db)
  await continueRebuild(db)
  t.same(await allFacets(db), facets)
})

t.test('another process may write between two batches of a rebuild', async t => {
  const templates = awkwardTemplates(403)
  const url = await staleStore(t, templates.slice(0, 400))
  const [own, other] = [await open(t, url), await open(t, url)]
  const ended: string[] = []
  await Promise.all([
    continueRebuild(own).then(() => ended.push('rebuild')),
    ...templates.slice(400).map(more => addTemplates(other, more).then(() => ended.push('write')))
  ])
  t.same(ended, ['write', 'write', 'write', 'rebuild'])
})

t.test('several rebuild at once, and others write meanwhile', async t => {
  const templates = awkwardTemplates(900)
  const url = await staleStore(t, templates.slice(0, 800))
  const all = await Promise.all([open(t, url), open(t, url), open(t, url)])
  const more = templates.slice(800)
  await Promise.all([
    ...all.map(db => continueRebuild(db)),
    addTemplates(all[0], ...more.slice(0, 50)),
    ...more.slice(50).map(template => insertPlain(all[1], template))
  ])
  for (const db of all) await checkAnswers(t, db, templates)
})
