/** Reads whole lists of templates: for a query, for a host, for an export, and the ids for a write of many. */
import { sql } from 'kysely'
import { ArgumentError } from '../../../host-errors.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { readTemplatesVersion } from '../../versions.ts'
import { rowCost } from '../costs.ts'
import { checkWhere, type FilterInput, toFilter } from '../filter/filter.ts'
import type { Plan } from '../filter/plan.ts'
import { type Meter, run, unmetered } from '../meter.ts'
import { readDocument } from '../revisions/revisions.ts'
import type { TemplateRule } from '../rule.ts'
import { maxInt, type ProductTemplate } from '../table/columns.ts'
import {
  allFields,
  type FoundTemplate,
  findProductTemplates,
  type TemplateFields
} from '../table/product-templates.ts'
import { readByPlan } from './by-plan.ts'
import { isByTrait, orderNeedsIndex, selectByTrait, selectInOrder, type TemplateOrder } from './order.ts'
import { chooseRows, countTemplates, findPage } from './page.ts'

/** Templates per batch. Each document in a batch has at most 32 KiB; longer ones are read one by one. */
const batchSize = 100

/** Which templates to list, and what of them. */
interface ListRequest {
  order: TemplateOrder
  limit?: number | undefined
  offset?: number | undefined
  fields: TemplateFields
}

/**
 * Reads all matches in order, in a snapshot. They come in batches, so that a long list does not take much memory. A template
 * with a long document comes alone.
 */
export async function* readList(
  snapshot: Db,
  plan: Plan,
  { limit = maxInt, offset = 0, ...request }: ListRequest,
  meter: Meter
): AsyncGenerator<ProductTemplate[]> {
  const search = { ...request, range: {}, offset }
  const { matches, more } = await findPage(snapshot, plan, search, Math.min(limit, batchSize), meter)
  meter.spend(matches.length * rowCost)
  const first = matches.map(({ template }) => template)
  yield* readDocuments(snapshot, first, meter)
  if (!more || limit <= batchSize) return
  const rest = { ...request, limit: limit - batchSize, offset: offset + batchSize }
  const ids = await findIdsInOrder(snapshot, plan, rest, meter)
  // Many short statements would hold up the event loop like a long one.
  meter.allowHere?.(ids.length * rowCost)
  for (let start = 0; start < ids.length; start += batchSize) {
    const batch = ids.slice(start, start + batchSize)
    meter.spend(batch.length * rowCost)
    await meter.turn()
    const found = await findProductTemplates(snapshot, batch, request.fields)
    yield* readDocuments(
      snapshot,
      batch.map(id => found.get(id) as FoundTemplate),
      meter
    )
  }
}

/** Finds the ids of all matches, in order. */
async function findIdsInOrder(
  snapshot: Db,
  plan: Plan,
  { order, limit = maxInt, offset }: ListRequest,
  meter: Meter
): Promise<number[]> {
  const { test, isSorted, cost } = await chooseRows(snapshot, plan, order, meter)
  const select = isByTrait(order) ? selectByTrait : selectInOrder
  const matches = select(snapshot, { order, range: {}, test, isSorted, limit, offset })
  const query = engineOf(snapshot).syntax.collectIds(sql`select id from (${matches}) as matches`)
  const [row] = await run(snapshot, query, cost, meter)
  return JSON.parse(row?.ids ?? '[]')
}

/** `data` is undefined if it is not selected, and null if it is long. */
const isWhole = (template: FoundTemplate): template is FoundTemplate & ProductTemplate =>
  template.data !== null

/** Completes templates with their long documents, which it reads one by one. */
async function* readDocuments(
  snapshot: Db,
  templates: FoundTemplate[],
  meter: Meter
): AsyncGenerator<ProductTemplate[]> {
  let short: ProductTemplate[] = []
  for (const template of templates) {
    if (isWhole(template)) short.push(template)
    else {
      if (short.length > 0) yield short
      short = []
      const data = (await readDocument(snapshot, template, meter)) as string
      // It takes as long again to parse it.
      await meter.turn()
      yield [{ ...template, data }]
    }
  }
  if (short.length > 0) yield short
}

/**
 * Lists the templates that match the `where` of a host, with their whole documents. A replica that has everything committed
 * before may serve them. Throws ArgumentError for a wrong filter.
 */
export async function listWholeTemplates(
  db: Db,
  { where, ...list }: Omit<ListRequest, 'fields'> & { where: FilterInput | undefined }
): Promise<ProductTemplate[]> {
  if (where) checkWhere(where, 'where')
  const request = { ...list, fields: allFields }
  const planned = {
    filter: toFilter(where),
    needsIndex: orderNeedsIndex(list.order),
    version: await readTemplatesVersion(db),
    meter: unmetered()
  }
  return readByPlan(db, planned, async (snapshot, plan, meter) => {
    const found: ProductTemplate[] = []
    for await (const some of readList(snapshot, plan, request, meter)) found.push(...some)
    return found
  })
}

/** Finds the ids of all templates that match `where`. Throws ArgumentError for a wrong filter or too many matches. */
export async function findMatches(
  db: Db,
  { where, rule }: { where: FilterInput; rule: TemplateRule | undefined },
  max: number,
  given: Meter,
  signal: AbortSignal
): Promise<number[]> {
  const planned = { filter: toFilter(where, rule), signal, meter: given }
  return readByPlan(db, planned, async (snapshot, plan, meter) => {
    const ids = await plan.findIds(snapshot, meter)
    if (ids.length > max)
      throw new ArgumentError(`where matches ${ids.length} templates; the maximum is ${max}`)
    return [...ids]
  })
}

/** What an export reads, all of one moment. */
export interface Export {
  /** The number of templates. */
  count: number
  /** Reads all templates by id, in batches; may be called again. */
  read(): AsyncGenerator<ProductTemplate[]>
}

/**
 * Runs a job once on a snapshot of the templates. `since`, in the stored format, leaves out those that were modified
 * earlier. A replica that has everything committed before serves the snapshot.
 */
export async function exportTemplates<T>(
  db: Db,
  { since }: { since?: string | undefined },
  job: (templates: Export) => Promise<T>
): Promise<T> {
  const request = { order: { field: 'ID', direction: 'ASC' }, fields: allFields } as const
  const planned = {
    filter: since === undefined ? {} : { timeModified: { gte: since } },
    version: await readTemplatesVersion(db),
    meter: unmetered(),
    // The job writes what it reads to a file.
    retries: false
  }
  return readByPlan(db, planned, async (snapshot, plan, meter) =>
    job({
      count: await countTemplates(snapshot, plan, meter),
      read: () => readList(snapshot, plan, request, meter)
    })
  )
}
