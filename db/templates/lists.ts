import type { Db } from '../schema.ts'
import type { Meter } from './meter.ts'
import { type Position, selectInOrder, type TemplateOrder } from './order.ts'
import type { Plan } from './plan.ts'
import { planFilter } from './plan-filter.ts'
import {
  findProductTemplates,
  type ProductTemplate,
  type TemplateRow,
  templateColumns,
  toTemplate
} from './product-templates.ts'
import { walkMatches } from './walk.ts'

export interface ListRequest {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
  /** Whether to read `data`, which is most of a template. */
  withData: boolean
}

/** Receives a batch of templates, which are not kept afterwards. */
export type Receive = (templates: ProductTemplate[]) => Promise<void>

/** Templates per read. */
const maxRowsAtOnce = 500
/** Cost per template of a list. */
export const rowCost = 1

/**
 * Reads all matches in order, in batches, so that a long list takes neither the event loop nor much memory. Several
 * reads share a read-only transaction, so that the list is a consistent snapshot.
 */
export async function readList(
  db: Db,
  plan: Plan,
  request: ListRequest,
  meter: Meter,
  receive: Receive
): Promise<void> {
  const expected = Math.min(request.limit ?? Number.POSITIVE_INFINITY, plan.templates)
  // How many templates match a filter is not known before.
  if (expected <= maxRowsAtOnce || plan.strategy !== 'all') {
    const templates: ProductTemplate[] = []
    for await (const some of slices(db, plan, request, meter)) {
      templates.push(...some)
      if (templates.length >= maxRowsAtOnce) break
    }
    // The database may have grown since it was counted.
    if (templates.length < maxRowsAtOnce || templates.length === request.limit) return receive(templates)
  }
  await db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async snapshot => {
      const again = planFilter(snapshot, plan.filter, plan.templates)
      for await (const templates of slices(snapshot, again, request, meter)) await receive(templates)
    })
}

const slices = (db: Db, plan: Plan, request: ListRequest, meter: Meter) =>
  plan.strategy === 'all' ? sliceOrder(db, request, meter) : sliceMatches(db, plan, request, meter)

/** Reads all templates in order. */
async function* sliceOrder(
  db: Db,
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, withData }: ListRequest,
  meter: Meter
): AsyncGenerator<ProductTemplate[]> {
  let after: Position | undefined
  if (offset > 0) {
    meter.spend(offset / 1000)
    const { rows } = await selectInOrder(db, { order, range: {}, limit: 1, offset: offset - 1 }).execute(db)
    after = rows[0]
    if (!after) return
  }
  for (let left = limit; left > 0; left -= maxRowsAtOnce) {
    await meter.turn()
    const { rows } = await selectInOrder<TemplateRow>(db, {
      order,
      range: { after },
      columns: templateColumns(withData),
      limit: Math.min(left, maxRowsAtOnce)
    }).execute(db)
    meter.spend(rows.length * rowCost)
    yield rows.map(toTemplate)
    const last = rows.at(-1)
    if (rows.length < maxRowsAtOnce || !last) return
    after = { key: last.key, id: last.id }
  }
}

async function* sliceMatches(
  db: Db,
  plan: Plan,
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, withData }: ListRequest,
  meter: Meter
): AsyncGenerator<ProductTemplate[]> {
  let skip = offset
  let left = limit
  for await (const positions of walkMatches(db, plan, { order }, offset + limit, meter)) {
    const wanted = positions.slice(skip, skip + left)
    skip = Math.max(0, skip - positions.length)
    left -= wanted.length
    for (let start = 0; start < wanted.length; start += maxRowsAtOnce) {
      const ids = wanted.slice(start, start + maxRowsAtOnce).map(({ id }) => id)
      meter.spend(ids.length * rowCost)
      await meter.turn()
      const found = await findProductTemplates(db, ids, withData)
      yield ids.flatMap(id => found.get(id) ?? [])
    }
  }
}
