/** What is estimated before an operation runs: its costliest statement, which decides whether it needs a thread. */
import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { maxStatementCostInLoop, statementCost } from '../../../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../../../db/templates/filter/input.ts'
import { type Plan, planFilter } from '../../../../db/templates/filter/plan.ts'
import { estimateEntries, type Meter } from '../../../../db/templates/meter.ts'
import {
  estimateFacets,
  estimateFieldFacets,
  listFacets,
  listFieldFacets
} from '../../../../db/templates/read/facets.ts'
import { estimateList, readList } from '../../../../db/templates/read/list.ts'
import type { TemplateOrder } from '../../../../db/templates/read/order.ts'
import { countTemplates, countUpTo, estimatePage, findPage } from '../../../../db/templates/read/page.ts'
import { engine } from '../../../database.ts'
import { addMixedTemplates } from '../../../graphql/cost-store.ts'
import { database } from '../../../service.ts'

const filters = [
  {},
  { name: { contains: 'a' } },
  { name: { startsWith: 'n' } },
  { id: { gt: 5 } },
  { maxItems: { gt: 1 } },
  { publicProduct: { equals: true } },
  { search: 'a' },
  { trait: { type: 'MadeIn', contains: 'a' } },
  { trait: { type: 'm1', gt: 5 } },
  { trait: { type: 't7', contains: 'word' } },
  { trait: { type: 'MadeIn', exists: false } },
  { not: { search: 'a' } },
  { or: Array.from({ length: 50 }, (_, n) => ({ name: { contains: `${n}` } })) },
  { and: Array.from({ length: 20 }, () => ({ trait: { type: 'MadeIn', contains: 'a' } })) }
]

const orders: TemplateOrder[] = [
  { field: 'TIME_MODIFIED', direction: 'DESC' },
  { field: 'MAX_ITEMS', direction: 'ASC' },
  { field: 'ID', direction: 'ASC', trait: 'm1' }
]

type Work = (plan: Plan, meter: Meter) => Promise<unknown>

t.test('no statement costs more than the estimate', { skip: engine !== 'sqlite' }, async t => {
  const db = await database(t)
  // Enough templates for statements that are too long for the event loop.
  await addMixedTemplates(db, 2500)
  for (const where of filters) {
    const check = async (what: string, estimate: (plan: Plan) => unknown, work: Work) => {
      const { costliest, estimated } = await compare(db, where, estimate, work)
      t.ok(
        costliest <= estimated,
        `${what} ${JSON.stringify(where).slice(0, 60)}: ${costliest}, ${estimated}`
      )
    }
    for (const order of orders) {
      const search = { order, range: {}, fields: new Set<never>() }
      const estimate = (plan: Plan) => estimatePage(db, plan, order)
      await check(`a page by ${order.trait ?? order.field}`, estimate, async (plan, meter) => {
        await findPage(db, plan, search, 50, meter)
        await countTemplates(db, plan, meter)
        await countUpTo(db, plan, 10, meter)
      })
      const list = { order, fields: new Set<never>() }
      const estimateIds = (plan: Plan) => estimateList(db, plan, { order })
      await check(`a list by ${order.trait ?? order.field}`, estimateIds, async (plan, meter) => {
        for await (const _ of readList(db, plan, list, meter));
      })
    }
    for (const types of [['MadeIn'], undefined])
      await check(
        `facets of ${types}`,
        plan => estimateFacets(db, plan),
        (plan, meter) => listFacets(db, plan, { types, first: 10, numbers: true }, meter)
      )
    await check('facets of a field', estimateFieldFacets, (plan, meter) =>
      listFieldFacets(db, plan, { fields: ['COMPONENT_NAME'], first: 10 }, meter)
    )
  }
})

t.test('the entries of a trait without a name are not those of all traits', async t => {
  const db = await database(t)
  await addMixedTemplates(db, 10)
  t.equal(await estimateEntries(db, ''), 0)
  t.ok((await estimateEntries(db)) > 10)
})

/** Returns the cost of the costliest statement, and the estimate, or what may run in the event loop if that is more. */
async function compare(db: Db, where: FilterInput, estimate: (plan: Plan) => unknown, work: Work) {
  const plan = await planFilter(db, toFilter(where))
  const estimated = Math.max(maxStatementCostInLoop, Number(await estimate(plan)))
  let costliest = 0
  const spend = (cost: number) => {
    costliest = Math.max(costliest, cost - statementCost)
  }
  await work(plan, { spend, turn: async () => {} })
  return { costliest, estimated }
}
