import type { Db } from '../../schema.ts'
import { type Meter, rowCost, visitCost } from '../meter.ts'
import type { Plan } from '../plan/plan.ts'
import { run } from '../plan/run.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  type TemplateFields,
  type TemplateRow,
  templateColumns,
  toTemplate
} from '../table/product-templates.ts'
import { type Position, selectInOrder, type TemplateOrder } from './order.ts'
import { walkMatches } from './walk.ts'

/** Templates per read. */
const maxRowsAtOnce = 500
/** Templates of the first read with documents, whose size is known only to be below that of a long one. */
const firstRowsAtOnce = 100
/** Characters of documents per read; more only if they are larger than they were before. */
const maxCharactersAtOnce = 2 ** 22

/** Which templates to read, and what of them. */
export interface SliceRequest {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
  fields: TemplateFields
}

/** Returns how many templates to read at once, judged by those of the read before. */
export function rowsAtOnce(fields: TemplateFields, before?: { data: string | null }[]): number {
  if (!fields.has('data')) return maxRowsAtOnce
  if (!before?.length) return firstRowsAtOnce
  const characters = before.reduce((sum, { data }) => sum + (data?.length ?? 0), 0)
  const rows = Math.floor((maxCharactersAtOnce * before.length) / (characters + 1))
  return Math.max(1, Math.min(rows, maxRowsAtOnce))
}

/** Reads a list in batches. */
export const slices = (db: Db, plan: Plan, request: SliceRequest, meter: Meter) =>
  plan.strategy === 'all'
    ? sliceOrder(db, plan.templates, request, meter)
    : sliceMatches(db, plan, request, meter)

/** Reads all templates in order. */
async function* sliceOrder(
  db: Db,
  templates: number,
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, fields }: SliceRequest,
  meter: Meter
): AsyncGenerator<FoundTemplate[]> {
  let after: Position | undefined
  if (offset > 0) {
    const skipped = selectInOrder(db, { order, range: {}, limit: 1, offset: offset - 1 })
    ;[after] = await run(db, skipped, Math.min(offset, templates) * visitCost, meter)
    if (!after) return
  }
  let most = rowsAtOnce(fields)
  for (let left = limit; left > 0; ) {
    await meter.turn()
    const count = Math.min(left, most)
    const { rows } = await selectInOrder<TemplateRow>(db, {
      order,
      range: { after },
      columns: templateColumns(fields),
      limit: count
    }).execute(db)
    meter.spend(rows.length * rowCost)
    yield rows.map(toTemplate)
    const last = rows.at(-1)
    if (rows.length < count || !last) return
    after = { key: last.key, id: last.id }
    left -= count
    most = rowsAtOnce(fields, rows)
  }
}

async function* sliceMatches(
  db: Db,
  plan: Plan,
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, fields }: SliceRequest,
  meter: Meter
): AsyncGenerator<FoundTemplate[]> {
  let skip = offset
  let left = limit
  let atOnce = rowsAtOnce(fields)
  for await (const positions of walkMatches(db, plan, { order }, offset + limit, meter)) {
    const wanted = positions.slice(skip, skip + left)
    skip = Math.max(0, skip - positions.length)
    left -= wanted.length
    while (wanted.length > 0) {
      const ids = wanted.splice(0, atOnce).map(({ id }) => id)
      meter.spend(ids.length * rowCost)
      await meter.turn()
      const rows = await findProductTemplates(db, ids, fields)
      const templates = ids.flatMap(id => rows.get(id) ?? [])
      yield templates
      atOnce = rowsAtOnce(fields, templates)
    }
    if (left === 0) return
  }
}
