import type { Db } from '../../schema.ts'
import type { Meter } from '../meter.ts'
import type { Plan } from '../plan/plan.ts'
import { type FoundTemplate, type ProductTemplate, readDocument } from '../table/product-templates.ts'
import { type PlannedFilter, readConsistently, readInSnapshot } from './consistent.ts'
import { rowsAtOnce, type SliceRequest, slices } from './slices.ts'

/** Receives a batch of templates, which are not kept afterwards. */
export type Receive = (templates: ListedTemplate[]) => Promise<void>

/** A template of a list; `size` only if it was requested. */
export type ListedTemplate = ProductTemplate & Pick<FoundTemplate, 'size'>

/**
 * Reads all matches in order, as of one moment. A long list comes in batches, so that it does not block the event
 * loop or take much memory.
 */
export async function readList(
  db: Db,
  planned: PlannedFilter,
  request: SliceRequest,
  meter: Meter,
  receive: Receive
): Promise<void> {
  if (mayBeShort(planned.plan, request)) {
    const short = await readConsistently(db, planned, (db, plan) => readShort(db, plan, request, meter))
    if (short) return receive(short)
  }
  await readInSnapshot(db, planned, meter, async (snapshot, plan) => {
    for await (const templates of slices(snapshot, plan, request, meter))
      await receiveWhole(snapshot, templates, meter, receive)
  })
}

/** Whether a list may fit into one batch. The number of templates that match a filter is not known yet. */
const mayBeShort = (
  { strategy, templates }: Plan,
  { limit = Number.POSITIVE_INFINITY, fields }: SliceRequest
): boolean => strategy !== 'all' || Math.min(limit, templates) < rowsAtOnce(fields)

/** Reads a list of one batch; undefined if it is longer, or has a long document. */
async function readShort(
  db: Db,
  plan: Plan,
  request: SliceRequest,
  meter: Meter
): Promise<ListedTemplate[] | undefined> {
  const most = rowsAtOnce(request.fields)
  const { limit = Number.POSITIVE_INFINITY } = request
  const templates: ListedTemplate[] = []
  for await (const some of slices(db, plan, { ...request, limit: Math.min(limit, most + 1) }, meter)) {
    if (!some.every(isWhole)) return undefined
    templates.push(...some)
  }
  // The database may have grown since it was counted.
  return templates.length <= most ? templates : undefined
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
  let whole: ListedTemplate[] = []
  for (const template of templates) {
    if (isWhole(template)) whole.push(template)
    else {
      await receive(whole)
      whole = [{ ...template, data: (await readDocument(snapshot, template, meter)) as string }]
    }
  }
  await receive(whole)
}
