import { type Expression, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { listCost, lookUpCost, maxCostOfFirstRows, maxFewTemplates, visitCost } from '../costs.ts'
import type { Plan } from '../filter/plan.ts'
import { type Meter, run } from '../meter.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  type TemplateFields,
  type TemplateRow,
  templateColumns,
  toTemplate
} from '../table/product-templates.ts'
import {
  estimateSort,
  hasIndex,
  isByTrait,
  type KeyRange,
  type Position,
  selectByTrait,
  selectInOrder,
  type TemplateOrder
} from './order.ts'

/** Which templates to read, and what of them. */
export interface Search {
  order: TemplateOrder
  range: KeyRange
  offset?: number | undefined
  fields: TemplateFields
}

/** A template of a page, with its position in the order. */
interface Match extends Position {
  template: FoundTemplate
}

interface Page {
  matches: Match[]
  /** Whether more matches follow. */
  more: boolean
}

/** Finds the first `limit` matches in an order. */
export async function findPage(
  db: Db,
  plan: Plan,
  search: Search,
  limit: number,
  meter: Meter
): Promise<Page> {
  const found =
    (await walkFirstRows(db, plan, search, limit + 1, meter)) ??
    (await readRows(db, search, await chooseRows(db, plan, search.order, meter), limit + 1, meter))
  return { matches: found.slice(0, limit), more: found.length > limit }
}

/** Which rows are the matches, and how to read them in order. */
interface MatchingRows {
  /** undefined: all rows match. */
  test?: Expression<SqlBool> | undefined
  isSorted?: boolean
  cost: number
}

/**
 * Chooses how to read the matches of a plan: as all rows, by testing each row of the order, or by the ids that indexes list.
 * A few ids are sorted. With many ids, the order is walked, because the page is soon full.
 */
export async function chooseRows(
  db: Db,
  plan: Plan,
  order: TemplateOrder,
  meter: Meter
): Promise<MatchingRows> {
  const { strategy, templates, cost } = plan
  if (strategy !== 'find') {
    const test = strategy === 'walk' ? plan.test : undefined
    return { test, cost: cost + (await estimateSort(db, order, templates, templates)) }
  }
  const ids = await plan.findIds(db, meter)
  const test = engineOf(db).syntax.isOneOf(sql.ref('product_template.id'), ids)
  const isSorted = ids.length <= maxFewTemplates
  const read = isSorted ? ids.length * lookUpCost : (templates + ids.length) * listCost
  return { test, isSorted, cost: read + (await estimateSort(db, order, ids.length, templates)) }
}

/** Tests the first rows of an order. Returns undefined if they have too few matches and more rows follow. */
async function walkFirstRows(
  db: Db,
  plan: Plan,
  search: Search,
  limit: number,
  meter: Meter
): Promise<Match[] | undefined> {
  const rows = Math.min(maxFewTemplates, Math.floor(maxCostOfFirstRows / plan.testCost))
  const { order, range } = search
  if (plan.strategy === 'all' || rows < limit || !hasIndex(order)) return undefined
  const last = selectInOrder(db, { order, range, limit: 1, offset: rows - 1 })
  const [through] = await run(db, last, rows * visitCost, meter)
  const first = { ...search, range: { ...range, through } }
  const tested = { test: plan.test, cost: rows * plan.testCost }
  const found = await readRows(db, first, tested, limit, meter)
  return found.length === limit || !through ? found : undefined
}

async function readRows(
  db: Db,
  { order, range, offset = 0, fields }: Search,
  { test, isSorted = false, cost }: MatchingRows,
  limit: number,
  meter: Meter
): Promise<Match[]> {
  const selection = { order, range, offset, test, isSorted, limit }
  if (isByTrait(order)) {
    const sorted = await run(db, selectByTrait(db, selection), cost, meter)
    return readLater(
      db,
      sorted.map(({ id, number, text }) => ({ id, key: [number, text] })),
      fields
    )
  }
  // The engine would sort the rows with their documents, and read the columns of the rows that it skips.
  const isReadLater = offset > 0 || !hasIndex(order) || (isSorted && fields.has('data'))
  const columns = templateColumns(isReadLater ? new Set() : fields)
  const query = selectInOrder<TemplateRow>(db, { ...selection, columns })
  const visited = test || !hasIndex(order) ? cost : Math.min(cost, (limit + offset) * visitCost)
  const found = await run(db, query, visited, meter)
  if (isReadLater) return readLater(db, found, fields)
  return found.map(({ key, ...row }) => ({ key, id: row.id, template: toTemplate(row) }))
}

async function readLater(db: Db, positions: Position[], fields: TemplateFields): Promise<Match[]> {
  const ids = positions.map(({ id }) => id)
  const templates = await findProductTemplates(db, ids, fields)
  return positions.flatMap(({ key, id }) => {
    const template = templates.get(id)
    return template ? [{ key, id, template }] : []
  })
}

/** Counts the matches. */
export async function countTemplates(db: Db, plan: Plan, meter: Meter): Promise<number> {
  if (plan.strategy === 'find') return (await plan.findIds(db, meter)).length
  const query = sql<{ count: number }>`select count(*) as count from product_template where ${plan.test}`
  const [row] = await run(db, query, plan.cost, meter)
  return row?.count ?? 0
}

/** Counts the matches up to a limit, which takes less time if there are more. */
export async function countUpTo(db: Db, plan: Plan, limit: number, meter: Meter): Promise<number> {
  const query = sql<{ ids: number; count: number }>`with found (id) as (${plan.ids})
    select count(*) as ids, count(distinct id) as count from (select id from found limit ${limit}) as listed`
  const [row] = plan.canStopEarly ? await run(db, query, plan.cost, meter) : []
  // Fewer templates than ids: some were listed twice, so there may be more behind the limit.
  if (row && (row.ids < limit || row.count === limit)) return row.count
  return Math.min(await countTemplates(db, plan, meter), limit)
}
