import { t } from 'tap'
import { planFilter } from '../../../../db/templates/filter/plan.ts'
import type { Search, TemplateOrder } from '../../../../db/templates/read/order.ts'
import { findPage } from '../../../../db/templates/read/page.ts'
import { addTemplates, database } from '../../../support/service/service.ts'

const count = 12

t.test('a range of an order has the same templates, with a filter and without', async t => {
  const db = await database(t)
  await addTemplates(
    db,
    ...Array.from({ length: count }, (_, id) => ({
      id,
      maxItems: 1 + (id % 3),
      blockchainId: id % 5 === 0 ? 1 : 2
    }))
  )
  const plans = { all: planFilter(db, {}), some: planFilter(db, { blockchainId: { equals: 2 } }) }
  for (const field of ['ID', 'MAX_ITEMS'] as const)
    for (const direction of ['ASC', 'DESC'] as const) {
      const order: TemplateOrder = { field, direction }
      for (const [name, plan] of Object.entries(plans)) {
        const read = (range: Partial<Search>, limit: number, offset = 0) =>
          findPage(db, plan, { order, ...range, offset, limit, fields: new Set(['maxItems']) })
        const all = await read({}, count)
        t.equal(all.length, name === 'all' ? count : 9)
        const check = async (range: Partial<Search>, from: number, to: number) => {
          const matches = await read(range, count)
          t.same(matches, all.slice(from, to), `${name} ${field} ${direction} ${Object.keys(range)}`)
        }
        // Each range twice, because the second statement may be that of the first with other values.
        for (const [one, other] of [
          [1, 6],
          [3, 5]
        ] as const) {
          const [first, last] = [all[one], all[other]]
          await check({ after: first }, one + 1, count)
          await check({ from: first }, one, count)
          await check({ before: last }, 0, other)
          await check({ upTo: last }, 0, other + 1)
          await check({ before: last, after: first }, one + 1, other)
          await check({ upTo: last, from: first }, one, other + 1)
          t.same(await read({ after: first }, 2, 1), all.slice(one + 2, one + 4))
        }
      }
    }
})
