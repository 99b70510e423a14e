import { type RawBuilder, sql } from 'kysely'
import { maxInt } from '../../../domain/columns.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type FilterInput, isTestedByRow } from '../filter/filter.ts'
import { maxTemplatesOneByOne, type Plan } from '../filter/plan.ts'
import { findPartialTemplates, type PartialTemplate, toTemplate } from '../product-templates.ts'
import {
  findPositions,
  hasColumnIndex,
  type MatchingRows,
  orderNeedsIndex,
  type Position,
  type Search,
  selectInOrder,
  type TemplateOrder
} from './order.ts'

/** A template of a page, with its position in the order. */
export interface Match extends Position {
  template: PartialTemplate
}

/** Look-ups for the first rows of an order, which take about 3 ms. Most filters find a full page among these rows. */
const maxLookUps = 1000

/**
 * Finds the matches that a search asks for, in order. Before an index is asked for all matches, the first rows of the
 * order are tested: they suffice if they have the whole page, or if no rows follow.
 */
export async function findPage(db: Db, plan: Plan, search: Search): Promise<Match[]> {
  const { order, limit = maxInt } = search
  const count = Math.min(maxTemplatesOneByOne, Math.floor(maxLookUps / plan.lookUpsPerRow))
  if (plan.strategy === 'seek' && limit <= count && hasColumnIndex(order)) {
    const [upTo] = await findPositions(db, { ...search, offset: count - 1, limit: 1 }, {})
    const matches = await readRows(db, upTo ? { ...search, upTo } : search, { test: plan.test })
    if (matches.length === limit || !upTo) return matches
  }
  return readRows(db, search, await chooseRows(db, plan))
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

async function readRows(db: Db, search: Search, matching: MatchingRows): Promise<Match[]> {
  const { order, offset = 0, fields } = search
  // The engine would sort the rows with their documents, and read the columns of the rows that it skips.
  const isReadLater =
    offset > maxSkipped || !hasColumnIndex(order) || (matching.isSelective && fields.has('data'))
  if (!isReadLater) {
    const { rows } = await selectInOrder(db, search, matching).execute(db)
    return rows.map(({ key, ...row }) => ({ key, id: row.id, template: toTemplate(row) }))
  }
  const positions = await findPositions(db, search, matching)
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
