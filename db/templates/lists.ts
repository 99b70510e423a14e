import type { Db } from '../schema.ts'
import { readTemplatesVersion } from '../versions.ts'
import { findKeptStamps, keepStamps, maxKeptStamps } from './kept-stamps.ts'
import { type Meter, rowCost } from './meter.ts'
import type { Plan } from './plan.ts'
import { planFilter } from './plan-filter.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  type ProductTemplate,
  readDocument
} from './product-templates.ts'
import {
  maxCharactersAtOnce,
  maxRowsAtOnce,
  rowsAtOnce,
  type Select,
  type SliceRequest,
  slices,
  stillMatching
} from './slices.ts'
import { isStamped, pickStamp, stampFields, type TemplateStamp } from './stamp.ts'

export interface ListRequest extends SliceRequest {
  /** Returns what the caller has kept of a template. In a long list, only its stamp is then read. */
  recall?: ((stamp: TemplateStamp) => Buffer | undefined) | undefined
  /** `Version.templates`, read since the list was asked for. What was kept at it is not read again. */
  version?: string | undefined
}

/** A template of a list, or its stamp with what was recalled. */
export type ListedTemplate = ProductTemplate & Partial<TemplateStamp> & { recalled?: Buffer }

/** Receives a batch of templates, which are not kept afterwards. */
export type Receive = (templates: ListedTemplate[]) => Promise<void>

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
  const unchanged = await recallUnchanged(db, plan, request, meter)
  if (unchanged) return receive(unchanged)
  const expected = Math.min(request.limit ?? Number.POSITIVE_INFINITY, plan.templates)
  const most = rowsAtOnce(request.fields)
  // How many templates match a filter is not known before.
  if (expected < most || plan.strategy !== 'all') {
    const templates: FoundTemplate[] = []
    for await (const some of slices(db, plan, request, meter)) {
      templates.push(...some)
      if (templates.length >= most) break
    }
    // The database may have grown since it was counted.
    const isEnd = templates.length < most || templates.length === request.limit
    if (isEnd && templates.every(isWhole)) {
      if (plan.strategy === 'all') await keepIfUnchanged(db, templates, request)
      return receive(templates)
    }
  }
  // Found before the snapshot: in a transaction, long statements hold the event loop.
  if (plan.strategy === 'idList') await plan.matches(meter)
  await db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async snapshot => {
      const again = planFilter(snapshot, plan.filter, plan.templates)
      if (plan.strategy === 'idList') again.matches = plan.matches
      const select = plan.strategy === 'idList' ? stillMatching : undefined
      if (!request.recall) {
        for await (const templates of slices(snapshot, again, request, meter, select))
          await receiveWhole(snapshot, templates, meter, receive)
        return
      }
      for await (const stamps of stampSlices(db, snapshot, again, request, meter, select))
        for (const group of recallBySize(stamps, request.recall))
          await receiveWhole(snapshot, await readForgotten(snapshot, group, request), meter, receive)
    })
}

/** Recalls a list without a filter from which no template has changed; undefined if some of it has to be read. */
async function recallUnchanged(
  db: Db,
  plan: Plan,
  request: ListRequest,
  meter: Meter
): Promise<ListedTemplate[] | undefined> {
  const { recall, version } = request
  if (!recall || version === undefined || plan.strategy !== 'all') return undefined
  const stamps = findKeptStamps(db, request, version)
  if (!stamps) return undefined
  const templates: ListedTemplate[] = []
  for (const stamp of stamps) {
    if (templates.length % maxRowsAtOnce === 0) await meter.turn()
    const recalled = recall(stamp)
    if (!recalled) return undefined
    templates.push({ ...(stamp as ListedTemplate), recalled })
  }
  meter.spend(templates.length * rowCost)
  return templates
}

/** Keeps the stamps of a list if no template has changed since the version was read. */
async function keepIfUnchanged(db: Db, templates: FoundTemplate[], request: ListRequest): Promise<void> {
  const { version } = request
  if (version === undefined || !templates.every(isStamped)) return
  if ((await readTemplatesVersion(db)) === version) keepStamps(db, request, version, templates.map(pickStamp))
}

/** Reads the stamps of a list; those of a list without a filter only if a template has changed since the last time. */
async function* stampSlices(
  db: Db,
  snapshot: Db,
  plan: Plan,
  request: ListRequest,
  meter: Meter,
  select: Select | undefined
): AsyncGenerator<TemplateStamp[]> {
  const fields = stampFields
  const read = () =>
    slices(snapshot, plan, { ...request, fields }, meter, select) as AsyncGenerator<TemplateStamp[]>
  const version = plan.strategy === 'all' ? await readTemplatesVersion(snapshot) : undefined
  if (version === undefined) return yield* read()
  const kept = findKeptStamps(db, request, version)
  if (kept) return yield* sliceKept(kept, meter)
  const stamps: TemplateStamp[] = []
  for await (const slice of read()) {
    if (stamps.length < maxKeptStamps) stamps.push(...slice)
    yield slice
  }
  if (stamps.length < maxKeptStamps) keepStamps(db, request, version, stamps)
}

async function* sliceKept(stamps: TemplateStamp[], meter: Meter): AsyncGenerator<TemplateStamp[]> {
  for (let start = 0; start < stamps.length; start += maxRowsAtOnce) {
    await meter.turn()
    const slice = stamps.slice(start, start + maxRowsAtOnce)
    meter.spend(slice.length * rowCost)
    yield slice
  }
}

/** A stamp with what was recalled. */
type Stamped = TemplateStamp & { recalled?: Buffer | undefined }

/** Recalls templates; groups them, so that those that have to be read are not too large together. */
function* recallBySize(
  stamps: TemplateStamp[],
  recall: (stamp: TemplateStamp) => Buffer | undefined
): Generator<Stamped[]> {
  let group: Stamped[] = []
  let size = 0
  for (const stamp of stamps) {
    const recalled = recall(stamp)
    group.push({ ...stamp, recalled })
    if (!recalled) size += stamp.size
    if (size < maxCharactersAtOnce) continue
    yield group
    group = []
    size = 0
  }
  yield group
}

async function readForgotten(db: Db, stamps: Stamped[], { fields }: ListRequest): Promise<FoundTemplate[]> {
  const forgotten = stamps.filter(({ recalled }) => !recalled).map(({ id }) => id)
  const found = await findProductTemplates(db, forgotten, new Set([...fields, ...stampFields]))
  return stamps.map(stamp => found.get(stamp.id) ?? (stamp as ListedTemplate))
}

/** `data` is undefined if it is not selected, and null if it is long. */
const isWhole = (template: FoundTemplate): template is ProductTemplate => template.data !== null

/** Passes templates of a snapshot on with their documents. Long documents are read and passed on one by one. */
async function receiveWhole(
  snapshot: Db,
  templates: FoundTemplate[],
  meter: Meter,
  receive: Receive
): Promise<void> {
  let whole: ProductTemplate[] = []
  for (const template of templates) {
    if (isWhole(template)) whole.push(template)
    else {
      await receive(whole)
      const data = await readDocument(snapshot, template, meter)
      whole = [{ ...template, data: data as string }]
    }
  }
  await receive(whole)
}
