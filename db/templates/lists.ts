import type { Db } from '../schema.ts'
import { readTemplatesVersion } from '../versions.ts'
import { testIds } from './fetch-ids.ts'
import { has, toIdSet } from './id-set.ts'
import { keptListsOf, maxKeptStamps } from './kept-stamps.ts'
import { type Meter, visitCost } from './meter.ts'
import { type Position, selectInOrder, type TemplateOrder } from './order.ts'
import type { Plan } from './plan.ts'
import { planFilter } from './plan-filter.ts'
import {
  type FoundTemplate,
  findProductTemplates,
  type ProductTemplate,
  pickStamp,
  readDocument,
  stampFields,
  type TemplateFields,
  type TemplateRow,
  type TemplateStamp,
  templateColumns,
  toTemplate
} from './product-templates.ts'
import { run } from './run.ts'
import { walkMatches } from './walk.ts'

export interface ListRequest {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
  fields: TemplateFields
  /** Returns what the caller has kept of a template. In a long list, only its stamp is then read. */
  recall?: ((stamp: TemplateStamp) => Buffer | undefined) | undefined
  /** `Version.templates`, read since the list was asked for. What was kept at it is not read again. */
  version?: string | undefined
}

/** A template of a list, or its stamp with what was recalled. */
export type ListedTemplate = ProductTemplate & Partial<TemplateStamp> & { recalled?: Buffer }

/** Receives a batch of templates, which are not kept afterwards. */
export type Receive = (templates: ListedTemplate[]) => Promise<void>

/** Templates per read. */
const maxRowsAtOnce = 500
/** Templates of the first read with documents, whose size is known only to be below that of a long one. */
const firstRowsAtOnce = 100
/** Characters of documents per read; more only if they are larger than they were before. */
const maxCharactersAtOnce = 2 ** 22
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
      const select = plan.strategy === 'idList' ? stillMatching : allOf
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
  const kept = keptListsOf(db).get(keyOf(request))
  if (kept?.version !== version) return undefined
  const templates: ListedTemplate[] = []
  for (const stamp of kept.stamps) {
    if (templates.length % maxRowsAtOnce === 0) await meter.turn()
    const recalled = recall(stamp as TemplateStamp)
    if (!recalled) return undefined
    templates.push({ ...(stamp as ProductTemplate), recalled })
  }
  meter.spend(templates.length * rowCost)
  return templates
}

/** Keeps the stamps of a list if no template has changed since the version was read. */
async function keepIfUnchanged(db: Db, templates: FoundTemplate[], request: ListRequest): Promise<void> {
  const { version } = request
  if (version === undefined || !templates.every(isStamped)) return
  if ((await readTemplatesVersion(db)) !== version) return
  keptListsOf(db).set(keyOf(request), { version, stamps: templates.map(pickStamp) as FoundTemplate[] })
}

const isStamped = (template: FoundTemplate): template is FoundTemplate & TemplateStamp =>
  template.size !== undefined && template.revision !== undefined

const keyOf = ({ order, limit, offset }: ListRequest): string =>
  `${order.field} ${order.direction} ${limit} ${offset}`

/** Reads the stamps of a list; those of a list without a filter only if a template has changed since the last time. */
async function* stampSlices(
  db: Db,
  snapshot: Db,
  plan: Plan,
  request: ListRequest,
  meter: Meter,
  select: Select
): AsyncGenerator<FoundTemplate[]> {
  const read = () => slices(snapshot, plan, { ...request, fields: stampFields }, meter, select)
  const version = plan.strategy === 'all' ? await readTemplatesVersion(snapshot) : undefined
  if (version === undefined) return yield* read()
  const lists = keptListsOf(db)
  const kept = lists.get(keyOf(request))
  if (kept?.version === version) return yield* sliceKept(kept.stamps, meter)
  const stamps: FoundTemplate[] = []
  for await (const slice of read()) {
    if (stamps.length < maxKeptStamps) stamps.push(...slice)
    yield slice
  }
  if (stamps.length < maxKeptStamps) lists.set(keyOf(request), { version, stamps })
}

async function* sliceKept(stamps: FoundTemplate[], meter: Meter): AsyncGenerator<FoundTemplate[]> {
  for (let start = 0; start < stamps.length; start += maxRowsAtOnce) {
    await meter.turn()
    const slice = stamps.slice(start, start + maxRowsAtOnce)
    meter.spend(slice.length * rowCost)
    yield slice
  }
}

/** A stamp as it is read, with what was recalled. */
type Stamped = FoundTemplate & { recalled?: Buffer | undefined }

/** Recalls templates; groups them, so that those that have to be read are not too large together. */
function* recallBySize(
  stamps: FoundTemplate[],
  recall: (stamp: TemplateStamp) => Buffer | undefined
): Generator<Stamped[]> {
  let group: Stamped[] = []
  let size = 0
  for (const stamp of stamps) {
    const recalled = recall(stamp as TemplateStamp)
    group.push({ ...stamp, recalled })
    if (!recalled) size += stamp.size as number
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
  return stamps.map(stamp => found.get(stamp.id) ?? stamp)
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

/** How many templates to read at once, by those of the read before. */
function rowsAtOnce(fields: TemplateFields, before?: { data: string | null }[]): number {
  if (!fields.has('data')) return maxRowsAtOnce
  if (!before?.length) return firstRowsAtOnce
  const characters = before.reduce((sum, { data }) => sum + (data?.length ?? 0), 0)
  const rows = Math.floor((maxCharactersAtOnce * before.length) / (characters + 1))
  return Math.max(1, Math.min(rows, maxRowsAtOnce))
}

/** Selects those of some matches that belong to the list. */
type Select = (db: Db, plan: Plan, positions: Position[], meter: Meter) => Promise<Position[]>

const allOf: Select = async (_db, _plan, positions) => positions

/** Templates may have changed since their ids were found. Other strategies test the rows themselves. */
async function stillMatching(db: Db, plan: Plan, positions: Position[], meter: Meter): Promise<Position[]> {
  const kept = await testIds(db, plan, toIdSet(positions.map(({ id }) => id)), meter)
  return kept.ids.length === positions.length ? positions : positions.filter(({ id }) => has(kept, id))
}

const slices = (db: Db, plan: Plan, request: ListRequest, meter: Meter, select = allOf) =>
  plan.strategy === 'all'
    ? sliceOrder(db, plan.templates, request, meter)
    : sliceMatches(db, plan, request, meter, select)

/** Reads all templates in order. */
async function* sliceOrder(
  db: Db,
  templates: number,
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, fields }: ListRequest,
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
  { order, limit = Number.POSITIVE_INFINITY, offset = 0, fields }: ListRequest,
  meter: Meter,
  select: Select
): AsyncGenerator<FoundTemplate[]> {
  let skip = offset
  let left = limit
  let atOnce = rowsAtOnce(fields)
  // Of how many the list consists is not known before they are selected.
  const most = select === allOf ? offset + limit : Number.POSITIVE_INFINITY
  for await (const found of walkMatches(db, plan, { order }, most, meter)) {
    const positions = await select(db, plan, found, meter)
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
