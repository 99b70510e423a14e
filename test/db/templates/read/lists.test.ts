import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { unmetered } from '../../../../db/templates/meter.ts'
import { type Plan, planFilter } from '../../../../db/templates/plan/plan.ts'
import { readList } from '../../../../db/templates/read/list.ts'
import { defaultOrder } from '../../../../db/templates/read/order.ts'
import { allFields } from '../../../../db/templates/table/product-templates.ts'
import { readTemplatesVersion } from '../../../../db/versions.ts'
import { addTemplates, database } from '../../../service.ts'

const withVersion = async (db: Db, plan: Plan) => ({
  plan,
  version: await readTemplatesVersion(db),
  needsIndex: plan.strategy !== 'all'
})
const data = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Color', value }] })

t.test('a short list with a long document is of one moment', async t => {
  const db = await database(t)
  const long = JSON.stringify({ description: 'x'.repeat(40_000) })
  await addTemplates(db, { id: 0, name: 'first', data: long }, { id: 1, data: '{}' })
  const found: object[] = []
  await readList(
    db,
    await withVersion(db, planFilter(db, {}, 2)),
    { order: defaultOrder, fields: allFields },
    unmetered(),
    async some => {
      found.push(...some.map(({ id, name, data }) => ({ id, name, data: data.length })))
      const change = { name: 'second', data: `${long} `, time_modified: '2030-01-01T00:00:00.000000Z' }
      await db.updateTable('product_template').set(change).where('id', '=', 0).execute()
    }
  )
  t.match(found, [{ id: 1 }, { id: 0, name: 'first', data: long.length }])
  t.equal(found.length, 2)
})

t.test('a list is of one moment, whatever is written after its matches were found', async t => {
  const db = await database(t)
  const count = 1200
  for (let start = 0; start < count; start += 200)
    await addTemplates(
      db,
      ...Array.from({ length: 200 }, (_, index) => ({ id: start + index, data: data('red') }))
    )
  const newestFirst = Array.from({ length: count }, (_, index) => count - 1 - index)
  const red = new Set(newestFirst)
  /** Reads a list; after its matches were found, one of the templates becomes blue and one is deleted. */
  const read = async (request: { limit?: number; offset?: number }, blue: number, deleted: number) => {
    const plan = planFilter(db, { trait: { type: 'Color', equals: 'red' } }, count)
    const { matches } = plan
    plan.matches = async meter => {
      const found = await matches(meter)
      await db
        .updateTable('product_template')
        .set({ data: data('blue') })
        .where('id', '=', blue)
        .execute()
      await db.deleteFrom('product_template').where('id', '=', deleted).execute()
      return found
    }
    const ids: number[] = []
    await readList(
      db,
      await withVersion(db, plan),
      { order: defaultOrder, fields: allFields, ...request },
      unmetered(),
      async some => void ids.push(...some.map(({ id }) => id))
    )
    red.delete(blue)
    red.delete(deleted)
    return ids
  }
  t.same(
    await read({}, 700, 800),
    newestFirst.filter(id => red.has(id))
  )
  t.same(
    await read({ offset: 200, limit: 600 }, 701, 801),
    newestFirst.filter(id => red.has(id)).slice(200, 800)
  )
})
