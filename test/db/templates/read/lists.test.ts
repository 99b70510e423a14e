import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { type TemplateFilter, toFilter } from '../../../../db/templates/filter/filter.ts'
import { planFilter } from '../../../../db/templates/filter/plan.ts'
import { readWholeList } from '../../../../db/templates/read/list.ts'
import { defaultOrder } from '../../../../db/templates/read/order.ts'
import { openSnapshot } from '../../../../db/templates/snapshot.ts'
import type { ProductTemplate } from '../../../../domain/columns.ts'
import { addTemplates, database } from '../../../support/service/service.ts'

/** Reads a list in a snapshot; `happens` is called after its matches were found, and after each batch. */
async function list(
  db: Db,
  filter: TemplateFilter,
  request: { limit?: number; offset?: number },
  happens: () => Promise<void>
): Promise<ProductTemplate[]> {
  const snapshot = await openSnapshot(db, { needsIndex: true })
  const plan = planFilter(snapshot.db, filter)
  const { findIds } = plan
  plan.findIds = async db => {
    const found = await findIds(db)
    await happens()
    return found
  }
  const found: ProductTemplate[] = []
  const wanted = { order: defaultOrder, ...request }
  for await (const batch of readWholeList(snapshot.db, plan, wanted)) {
    found.push(...batch)
    await happens()
  }
  await snapshot.end()
  return found
}

const data = (value: string) => JSON.stringify({ attributes: [{ trait_type: 'Color', value }] })

t.test('a short list with a long document is of one moment', async t => {
  const db = await database(t)
  const long = JSON.stringify({ description: 'x'.repeat(40_000) })
  await addTemplates(db, { id: 0, name: 'first', data: long }, { id: 1, data: '{}' })
  const found = await list(db, {}, {}, async () => {
    const change = { name: 'second', data: `${long} `, time_modified: '2030-01-01T00:00:00.000000Z' }
    await db.updateTable('product_template').set(change).where('id', '=', 0).execute()
  })
  t.match(found, [{ id: 1 }, { id: 0, name: 'first', data: long }])
  t.equal(found.length, 2)
})

t.test('a list is of one moment, whatever is written while it is read', async t => {
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
    const filter = toFilter({ trait: { type: 'Color', equals: 'red' } })
    const found = await list(db, filter, request, async () => {
      await db
        .updateTable('product_template')
        .set({ data: data('blue') })
        .where('id', '=', blue)
        .execute()
      await db.deleteFrom('product_template').where('id', '=', deleted).execute()
    })
    red.delete(blue)
    red.delete(deleted)
    return found.map(({ id }) => id)
  }
  const before = () => newestFirst.filter(id => red.has(id))
  const all = before()
  t.same(await read({}, 700, 800), all)
  const some = before().slice(200, 800)
  t.same(await read({ offset: 200, limit: 600 }, 701, 801), some)
})
