import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { type Meter, rowCost, run } from '../meter.ts'
import type { Plan } from '../plan/plan.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  maxInt,
  type ProductTemplate,
  readDocument,
  type TemplateFields
} from '../table/product-templates.ts'
import { type PlannedFilter, readAtOneVersion } from './consistent.ts'
import { selectInOrder, type TemplateOrder } from './order.ts'
import { chooseRows, findPage } from './page.ts'

/** Templates per read. Their documents take 32 KiB at most: longer ones are read one by one. */
const rowsAtOnce = 100

/** Which templates to list, and what of them. */
interface ListRequest {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
  fields: TemplateFields
}

/** Receives a batch of templates, which are not kept afterwards. One with a long document comes alone. */
type Receive = (templates: ProductTemplate[]) => Promise<void>

/**
 * Reads all matches in order, as of one moment. A long list comes in batches, so that it does not block the event
 * loop or take much memory.
 */
export async function readList(
  db: Db,
  planned: PlannedFilter,
  request: ListRequest,
  meter: Meter,
  receive: Receive
): Promise<void> {
  const { plan } = planned
  const { limit = maxInt, fields } = request
  // The number of templates that match a filter is not known yet.
  if (plan.strategy !== 'all' || Math.min(limit, plan.templates) <= rowsAtOnce) {
    const short = await readAtOneVersion(db, planned, (db, plan) => readShort(db, plan, request, meter))
    if (short) return receive(short)
  }
  const findIds = (db: Db, plan: Plan) => findIdsInOrder(db, plan, request, meter)
  await readAtOneVersion(db, planned, findIds, (snapshot, ids) =>
    readBatches(snapshot, ids, fields, meter, receive)
  )
}

/** Reads a list of one batch; undefined if it is longer, or has a long document. */
async function readShort(
  db: Db,
  plan: Plan,
  { order, limit = maxInt, offset, fields }: ListRequest,
  meter: Meter
): Promise<ProductTemplate[] | undefined> {
  const search = { order, range: {}, offset, fields }
  const { matches, more } = await findPage(db, plan, search, Math.min(limit, rowsAtOnce), meter)
  if (more && limit > rowsAtOnce) return undefined
  meter.spend(matches.length * rowCost)
  const templates = matches.map(({ template }) => template)
  return templates.every(isWhole) ? templates : undefined
}

/** Finds the ids of all matches; before the snapshot, because on SQLite its statements block the event loop. */
async function findIdsInOrder(
  db: Db,
  plan: Plan,
  { order, limit = maxInt, offset }: ListRequest,
  meter: Meter
): Promise<number[]> {
  const { test, isSorted, cost } = await chooseRows(db, plan, meter)
  const matches = selectInOrder(db, { order, range: {}, test, isSorted, limit, offset })
  const query = engineOf(db).syntax.collectIds(sql`select id from (${matches}) as matches`)
  const [row] = await run(db, query, cost, meter)
  return JSON.parse(row?.ids ?? '[]')
}

async function readBatches(
  snapshot: Db,
  ids: number[],
  fields: TemplateFields,
  meter: Meter,
  receive: Receive
): Promise<void> {
  for (let start = 0; start < ids.length; start += rowsAtOnce) {
    const batch = ids.slice(start, start + rowsAtOnce)
    meter.spend(batch.length * rowCost)
    await meter.turn()
    const rows = await findProductTemplates(snapshot, batch, fields)
    const templates = batch.flatMap(id => rows.get(id) ?? [])
    await receiveWhole(snapshot, templates, meter, receive)
  }
}

/** `data` is undefined if it is not selected, and null if it is long. */
const isWhole = (template: FoundTemplate): template is FoundTemplate & ProductTemplate =>
  template.data !== null

/** Passes templates of a snapshot on with their documents. Long documents are read and passed on one by one. */
async function receiveWhole(
  snapshot: Db,
  templates: FoundTemplate[],
  meter: Meter,
  receive: Receive
): Promise<void> {
  let short: ProductTemplate[] = []
  for (const template of templates) {
    if (isWhole(template)) short.push(template)
    else {
      await receive(short)
      short = []
      await receive([{ ...template, data: await readDocument(snapshot, template.id, meter) }])
    }
  }
  await receive(short)
}
