import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type FilterInput, isTestedByRow } from '../filter/filter.ts'
import { maxTemplatesOneByOne, type Plan } from '../filter/plan.ts'
import {
  findPartialTemplates,
  type PartialTemplate,
  type TemplateFields,
  toTemplate
} from '../product-templates.ts'
import {
  hasColumnIndex,
  isByTrait,
  type KeyRange,
  orderNeedsIndex,
  type Position,
  selectByTrait,
  selectInOrder,
  type TemplateOrder
} from './order.ts'

/** Which templates to read, and which of their fields. */
export interface Search {
  order: TemplateOrder
  range: KeyRange
  offset?: number | undefined
  fields: TemplateFields
}

/** A template of a page, with its position in the order. */
export interface Match extends Position {
  template: PartialTemplate
}

/** Finds the first `limit` matches in an order. */
export const findPage = async (db: Db, plan: Plan, search: Search, limit: number): Promise<Match[]> =>
  (await walkFirstRows(db, plan, search, limit)) ??
  (await readRows(db, search, await chooseRows(db, plan), limit))

/** Which rows are the matches, and how to read them in order. */
interface MatchingRows {
  /** undefined: all rows match. */
  test?: Expression<SqlBool> | undefined
  /** Whether few rows match. Then these are sorted. Otherwise the index of the order is walked. */
  isSelective?: boolean
}

/**
 * Chooses how to read the matches of a plan: as all rows, by testing each row of the order, or by the ids that indexes
 * list. A few ids are sorted. With many ids, the order is walked, because the page is soon full.
 */
export async function chooseRows(db: Db, plan: Plan): Promise<MatchingRows> {
  if (plan.strategy === 'all') return {}
  if (plan.strategy === 'scan') return { test: plan.test }
  const ids = await plan.findIds(db)
  const test = engineOf(db).syntax.isOneOf(sql.ref('product_template.id'), ids)
  return { test, isSelective: ids.length <= maxTemplatesOneByOne }
}

/** Maximum rows that the statement of a page skips before it. A statement that reads only ids skips more. */
const maxSkipped = 1000

/** Whether {@link findPage} is one statement, which walks an index of columns and tests each row. */
export const findsPageByOneStatement = (where: FilterInput, order: TemplateOrder, offset: number): boolean =>
  hasColumnIndex(order) && !orderNeedsIndex(order) && isTestedByRow(where) && offset <= maxSkipped

/** Look-ups for the first rows of an order, which take about 3 ms. Most filters find a full page among these rows. */
const maxLookUps = 1000

/**
 * Tests the first rows of an order before an index is asked for all matches. Returns undefined if they have too few
 * matches and more rows follow.
 */
async function walkFirstRows(
  db: Db,
  plan: Plan,
  search: Search,
  limit: number
): Promise<Match[] | undefined> {
  const rows = Math.min(maxTemplatesOneByOne, Math.floor(maxLookUps / plan.costPerRow))
  const { order, range } = search
  if (plan.strategy !== 'seek' || rows < limit || !hasColumnIndex(order)) return undefined
  const last = await selectInOrder(db, { order, range, limit: 1, offset: rows - 1 }).execute(db)
  const upTo = last.rows[0]
  const first = { ...search, range: { ...range, upTo } }
  const matches = await readRows(db, first, { test: plan.test }, limit)
  return matches.length === limit || !upTo ? matches : undefined
}

async function readRows(
  db: Db,
  { order, range, offset = 0, fields }: Search,
  { test, isSelective = false }: MatchingRows,
  limit: number
): Promise<Match[]> {
  const selection = { order, range, offset, test, isSelective, limit }
  if (isByTrait(order)) {
    const { rows } = await selectByTrait(db, selection).execute(db)
    const positions = rows.map(({ id, number, text }): Position => ({ id, key: [number, text] }))
    return readLater(db, positions, fields)
  }
  // The engine would sort the rows with their documents, and read the columns of the rows that it skips.
  const isReadLater = offset > maxSkipped || !hasColumnIndex(order) || (isSelective && fields.has('data'))
  const { rows } = await selectInOrder(db, { ...selection, ...(!isReadLater && { fields }) }).execute(db)
  const matches = rows.map(({ key, ...row }): Match => ({ key, id: row.id, template: toTemplate(row) }))
  return isReadLater ? readLater(db, matches, fields) : matches
}

async function readLater(db: Db, positions: Position[], fields: TemplateFields): Promise<Match[]> {
  const ids = positions.map(({ id }) => id)
  const templates = await findPartialTemplates(db, ids, fields)
  return positions.flatMap(({ key, id }) => {
    const template = templates.get(id)
    return template ? [{ key, id, template }] : []
  })
}

/** Counts the matches. */
export async function countTemplates(db: Db, plan: Plan): Promise<number> {
  if (plan.strategy === 'seek') return (await plan.findIds(db)).length
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from product_template where ${plan.test}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Counts the matches up to a limit, which takes less time if there are more. */
export async function countUpTo(db: Db, plan: Plan, limit: number): Promise<number> {
  const count = await (plan.ids && countListed(db, plan.ids, limit))
  return count ?? Math.min(await countTemplates(db, plan), limit)
}

/** Counts the matches among the first `limit` ids. undefined: some were listed twice, so more may follow. */
async function countListed(db: Db, matching: RawBuilder<number>, limit: number): Promise<number | undefined> {
  const { rows } = await sql<{ ids: number; count: number }>`with found (id) as (${matching})
    select count(*) as ids, count(distinct id) as count from (select id from found limit ${limit}) as listed`.execute(
    db
  )
  const { ids, count } = rows[0] ?? { ids: 0, count: 0 }
  return ids < limit || count === limit ? count : undefined
}
