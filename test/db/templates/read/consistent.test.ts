import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { ensureIndexed } from '../../../../db/templates/index/state.ts'
import { planFilter } from '../../../../db/templates/plan/plan.ts'
import { readAtOneVersion } from '../../../../db/templates/read/consistent.ts'
import { readTemplatesVersion, versionsOf } from '../../../../db/versions.ts'
import { FilterPlans } from '../../../../graphql/execution/filter-plans.ts'
import { Operation } from '../../../../graphql/execution/operation.ts'
import { templates } from '../../../../store.ts'
import { addTemplates, database } from '../../../service.ts'

const count = (db: Db) =>
  db
    .selectFrom('product_template')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()

t.test('several statements read the templates as of one moment', async t => {
  const db = await database(t)
  const planned = { plan: planFilter(db, {}, 0), version: await readTemplatesVersion(db), needsIndex: false }
  let reads = 0
  const read = (writes: number) =>
    readAtOneVersion(db, planned, async reader => {
      const before = await count(reader)
      if (reads++ < writes) await addTemplates(db, { id: reads })
      return [before.count, (await count(reader)).count, reader.isTransaction]
    })
  t.same(await read(0), [0, 0, false])
  t.equal(reads, 1)
  reads = 0
  t.same(await read(1), [1, 1, false])
  t.equal(reads, 2)
  reads = 10
  t.same(await read(13), [3, 3, true], 'in a snapshot, if templates are written at each try')
  t.equal(reads, 13)
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

t.test('repeated reads count once for the limit', async t => {
  const db = await database(t)
  const { templates: version } = await versionsOf(db).now()
  const operation = new Operation(db, version, { maxCost: 1000, maxResultSize: 1, timeout: 60 })
  t.teardown(() => operation.close())
  const plans = new FilterPlans(operation)
  const read = (id: number) =>
    plans.readMatches({}, false, async reader => {
      operation.spend(400)
      if (!reader.isTransaction) await addTemplates(db, { id: id++ })
      return (await count(reader)).count
    })
  t.equal(await read(0), 2)
  t.equal(await read(10), 4)
  t.ok(operation.cost.actual > 2400)
  await t.rejects(read(20), /the operation costs/)
})
