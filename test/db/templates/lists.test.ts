import { t } from 'tap'
import { ensureIndexed } from '../../../db/templates/index/pending.ts'
import { readList } from '../../../db/templates/lists.ts'
import { unmetered } from '../../../db/templates/meter.ts'
import { defaultOrder, type TemplateOrder } from '../../../db/templates/order.ts'
import { planFilter } from '../../../db/templates/plan-filter.ts'
import { allFields } from '../../../db/templates/product-templates.ts'
import { stampFields } from '../../../db/templates/stamp.ts'
import { addTemplates, database } from '../../service.ts'

const data = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Color', value }] })

t.test('a short list with a long document is of one moment', async t => {
  const db = await database(t)
  const long = JSON.stringify({ description: 'x'.repeat(40_000) })
  await addTemplates(db, { id: 0, name: 'first', data: long }, { id: 1, data: '{}' })
  const found: object[] = []
  await readList(
    db,
    planFilter(db, {}, 2),
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

t.test('a long list has no template that was changed after the matches were found', async t => {
  const db = await database(t)
  const count = 1200
  for (let start = 0; start < count; start += 200)
    await addTemplates(
      db,
      ...Array.from({ length: 200 }, (_, index) => ({ id: start + index, data: data('red') }))
    )
  const plan = planFilter(db, { trait: { type: 'Color', equals: 'red' } }, count)
  const { matches } = plan
  let changed: Promise<void> | undefined
  const change = async () => {
    await db
      .updateTable('product_template')
      .set({ data: data('blue') })
      .where('id', '=', 700)
      .execute()
    await db.deleteFrom('product_template').where('id', '=', 800).execute()
    await ensureIndexed(db)
  }
  plan.matches = async meter => {
    const found = await matches(meter)
    changed ??= change()
    await changed
    return found
  }
  const read = async (request: { limit?: number; offset?: number }) => {
    const ids: number[] = []
    await readList(
      db,
      plan,
      { order: defaultOrder, fields: allFields, ...request },
      unmetered(),
      async some => void ids.push(...some.map(({ id }) => id))
    )
    return ids
  }
  const expected = Array.from({ length: count }, (_, index) => count - 1 - index).filter(
    id => id !== 700 && id !== 800
  )
  t.same(await read({}), expected)
  t.same(await read({ offset: 200, limit: 600 }), expected.slice(200, 800))
})

t.test('a list that was read before is that of now', async t => {
  const db = await database(t)
  const count = 600
  const templates = Array.from({ length: count }, (_, id) => ({ id, name: `${id}`, data: '{}' }))
  await addTemplates(db, ...templates)
  const read = async (request: { order?: TemplateOrder; limit?: number; offset?: number } = {}) => {
    const ids: number[] = []
    const all = { order: defaultOrder, fields: new Set([...allFields, ...stampFields]), ...request }
    const recall = () => Buffer.from('kept')
    const receive = async (some: { id: number }[]) => void ids.push(...some.map(({ id }) => id))
    await readList(db, planFilter(db, {}, count), { ...all, recall }, unmetered(), receive)
    return ids
  }
  const newest = templates.map(({ id }) => id).reverse()
  const byId: TemplateOrder = { field: 'ID', direction: 'ASC' }
  for (let time = 0; time < 2; time++) {
    t.same(await read(), newest)
    t.same(await read({ order: byId }), [...newest].reverse())
    t.same(await read({ offset: 10 }), newest.slice(10))
    t.same(await read({ limit: 550 }), newest.slice(0, 550))
    t.same(await read({ limit: 540, offset: 10 }), newest.slice(10, 550))
  }
  const later = { time_modified: '2030-01-01T00:00:00.000000Z' }
  await db.updateTable('product_template').set(later).where('id', '=', 7).execute()
  const changed = [7, ...newest.filter(id => id !== 7)]
  t.same(await read(), changed)
  await db.deleteFrom('product_template').where('id', '=', 300).execute()
  t.same(
    await read(),
    changed.filter(id => id !== 300)
  )
})
