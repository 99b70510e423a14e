import { t } from 'tap'
import type { Db } from '../../../db/schema.ts'
import { openSnapshot } from '../../../db/templates/snapshot.ts'
import { ensureIndexed } from '../../../db/templates/template-index/state.ts'
import { templates } from '../../../store.ts'
import { addTemplates, database } from '../../support/service/service.ts'

const count = async (db: Db) => {
  const rows = db.selectFrom('product_template').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await rows.executeTakeFirstOrThrow()).count
}

t.test('a snapshot reads the templates as of one moment', async t => {
  const db = await database(t)
  const snapshot = await openSnapshot(db, { needsIndex: true })
  await addTemplates(db, { id: 1 })
  t.equal(await count(snapshot.db), 0)
  await snapshot.end()
  t.equal(await count(db), 1)
})

t.test('a filter that needs the index is refused while it is built, another is not', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1 })
  await db.updateTable('product_template_index').set({ complete: 0, reached: -1 }).execute()
  const list = (options: Parameters<typeof templates.list>[1]) => templates.list(db, options)
  for (const where of [
    {},
    { id: { equals: 1 }, name: null, and: null, or: [{ not: { maxItems: { gt: 50 } } }] }
  ])
    t.same(
      (await list({ where })).map(({ id }) => id),
      [1]
    )
  const notReady = { code: 'PTS_NOT_READY' }
  const search = { search: 'amber' }
  for (const where of [search, { and: [{ or: [{ not: search }] }] }])
    await t.rejects(list({ where }), notReady)
  await t.rejects(list({ orderBy: { field: 'NAME', direction: 'ASC' } }), notReady)
})

const colored = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Color', value }] })

/** The database, in which something happens after so many results. */
const after = (db: Db, results: number, happens: () => Promise<unknown>): Db =>
  db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (results-- === 0) await happens()
      return result
    }
  })

t.test('a filter is correct whenever others write templates with plain SQL', async t => {
  for (const size of [20, 520]) {
    const db = await database(t)
    const all = Array.from({ length: size }, (_, id) => ({ id, data: colored('red') }))
    while (all.length > 0) await addTemplates(db, ...all.splice(0, 500))
    for (let results = 0; results < 15; results++) {
      const write = () =>
        db
          .updateTable('product_template')
          .set({ data: colored('blue') })
          .where('id', '=', results)
          .execute()
      const where = { trait: { type: 'Color', equals: 'red' } }
      const found = await templates.list(after(db, results, write), { where })
      t.same(new Set(found.map(({ data }) => data)), new Set([colored('red')]), `${size}, ${results} results`)
      t.ok(found.length >= size - results - 1)
      await ensureIndexed(db)
    }
  }
})

t.test('a list that needs no index is read while another process writes', async t => {
  const db = await database(t)
  await addTemplates(db, { id: 1 })
  await db.updateTable('product_template').set({ name: 'pending' }).where('id', '=', 1).execute()
  await db.transaction().execute(async transaction => {
    await transaction.updateTable('product_template').set({ max_items: 9 }).execute()
    t.match(await templates.list(db), [{ id: 1, name: 'pending' }])
  })
})
