// Runs on SQLite only, in test:all only: the statements of PostgreSQL do not block the event loop.
/** Statements that would block the event loop: what they are for is read again on a thread. */
import { t } from 'tap'
import type { Db } from '../../../../db/schema.ts'
import { maxStatementCostInLoop } from '../../../../db/templates/costs.ts'
import { type FilterInput, toFilter } from '../../../../db/templates/filter/filter.ts'
import type { Plan } from '../../../../db/templates/filter/plan.ts'
import { estimateEntries, type Meter, unmetered } from '../../../../db/templates/meter.ts'
import { readByPlan } from '../../../../db/templates/read/by-plan.ts'
import { listFacets, listFieldFacets } from '../../../../db/templates/read/facets.ts'
import { readList } from '../../../../db/templates/read/list.ts'
import type { TemplateOrder } from '../../../../db/templates/read/order.ts'
import { countTemplates, countUpTo, findPage } from '../../../../db/templates/read/page.ts'
import { addMixedTemplates } from '../../../graphql/cost-store.ts'
import { database } from '../../../support/service/service.ts'

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

type Work = (snapshot: Db, plan: Plan, meter: Meter) => Promise<unknown>

const idOnly = new Set<never>()

const works: Work[] = [
  ...orders.map(
    (order): Work =>
      async (db, plan, meter) => [
        await findPage(db, plan, { order, range: {}, fields: idOnly }, 50, meter),
        await countTemplates(db, plan, meter),
        await countUpTo(db, plan, 10, meter)
      ]
  ),
  ...orders.map(
    (order): Work =>
      async (db, plan, meter) => {
        const found: unknown[] = []
        for await (const some of readList(db, plan, { order, fields: idOnly }, meter)) found.push(...some)
        return found
      }
  ),
  (db, plan, meter) => listFacets(db, plan, { types: ['MadeIn'], first: 10, numbers: true }, meter),
  (db, plan, meter) => listFacets(db, plan, { types: undefined, first: 10, numbers: true }, meter),
  (db, plan, meter) => listFieldFacets(db, plan, { fields: ['COMPONENT_NAME'], first: 10 }, meter)
]

t.test('none runs in the event loop, and the result is the same', async t => {
  const db = await database(t)
  // Enough templates for statements that are too long for the event loop.
  await addMixedTemplates(db, 2500)
  let onThread = 0
  for (const where of filters)
    for (const [index, work] of works.entries()) {
      /** The cost of the costliest statement that ran, for each run of the job. */
      const costliest: number[] = []
      const read = (retries: boolean) => {
        const planned = { filter: toFilter(where), needsIndex: true, meter: unmetered(), retries }
        return readByPlan(db, planned, (snapshot, plan, meter) => {
          const run = costliest.push(0) - 1
          const allowHere = (cost: number) => {
            meter.allowHere?.(cost)
            costliest[run] = Math.max(costliest[run] ?? 0, cost)
          }
          return work(snapshot, plan, { spend() {}, turn: async () => {}, allowHere })
        })
      }
      const plain = await read(false)
      const [most = 0] = costliest.splice(0)
      t.same(await read(true), plain, `${index} ${JSON.stringify(where).slice(0, 60)}`)
      t.ok((costliest[0] ?? 0) <= maxStatementCostInLoop)
      t.equal(costliest.length, most > maxStatementCostInLoop ? 2 : 1)
      onThread += costliest.length - 1
    }
  t.ok(onThread > 10)
})

t.test('a long list is read on a thread, although each of its statements is short', async t => {
  const db = await database(t)
  await addMixedTemplates(db, 2000)
  const [order] = orders as [TemplateOrder]
  const countRuns = async (where: FilterInput, limit?: number) => {
    let runs = 0
    const planned = { filter: toFilter(where), needsIndex: true, meter: unmetered() }
    await readByPlan(db, planned, async (snapshot, plan, meter) => {
      runs++
      for await (const _ of readList(snapshot, plan, { order, limit, fields: idOnly }, meter));
    })
    return runs
  }
  t.equal(await countRuns({}), 2)
  t.equal(await countRuns({}, 200), 1)
  t.equal(await countRuns({ id: { lt: 200 } }), 1)
})

t.test('many traits are counted on a thread, although each statement is short', async t => {
  const db = await database(t)
  await addMixedTemplates(db, 2500)
  const countRuns = async (types: string[] | undefined) => {
    let runs = 0
    const planned = { filter: {}, needsIndex: true, meter: unmetered() }
    await readByPlan(db, planned, (snapshot, plan, meter) => {
      runs++
      return listFacets(snapshot, plan, { types, first: 10 }, meter)
    })
    return runs
  }
  t.equal(await countRuns(undefined), 2)
  t.equal(await countRuns(['MadeIn']), 1)
})

t.test('the entries of a trait without a name are not those of all traits', async t => {
  const db = await database(t)
  await addMixedTemplates(db, 10)
  t.equal(await estimateEntries(db, ''), 0)
  t.ok((await estimateEntries(db)) > 10)
})
