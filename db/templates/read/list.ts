/** Reads whole lists of templates: for a query, for a host, for an export, and the ids for a bulk write. */
import { sql } from 'kysely'
import { maxInt, type ProductTemplate } from '../../../domain/columns.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { ArgumentError } from '../../../runtime/host-errors.ts'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { readTemplatesVersion } from '../../versions.ts'
import {
  checkWhere,
  type FilterInput,
  filterNeedsIndex,
  type TemplateFilter,
  toFilter
} from '../filter/filter.ts'
import { type Plan, planFilter } from '../filter/plan.ts'
import { allFields, findPartialTemplates, onlyId, type PartialTemplate } from '../product-templates.ts'
import { readDocument } from '../revisions/revisions.ts'
import type { TemplateRule } from '../rule.ts'
import { inSnapshot, type SnapshotOptions } from '../snapshot.ts'
import {
  checkOrder,
  defaultOrder,
  isByTrait,
  orderNeedsIndex,
  type Search,
  selectByTrait,
  selectInOrder,
  type TemplateOrder
} from './order.ts'
import { chooseRows, countTemplates, findPage } from './page.ts'

/** Templates that one statement lists. Each document in a batch has at most 32 KiB; longer ones are read one by one. */
export const batchSize = 1000

/**
 * Reads all matches in order, in a snapshot. They come in batches, so that a long list does not take much memory. A
 * template with a long document comes alone.
 */
export async function* readList(snapshot: Db, plan: Plan, search: Search): AsyncGenerator<PartialTemplate[]> {
  const { limit = maxInt, offset = 0 } = search
  const matches = await findPage(snapshot, plan, { ...search, limit: Math.min(limit, batchSize) })
  yield* completeLongDocuments(
    snapshot,
    matches.map(({ template }) => template)
  )
  if (limit <= batchSize || matches.length < batchSize) return
  const rest = { ...search, limit: limit - batchSize, offset: offset + batchSize }
  const ids = await findIdsInOrder(snapshot, plan, rest)
  for (let start = 0; start < ids.length; start += batchSize) {
    await yieldToEventLoop()
    const batch = ids.slice(start, start + batchSize)
    const byId = await findPartialTemplates(snapshot, batch, search.fields)
    yield* completeLongDocuments(
      snapshot,
      batch.map(id => byId.get(id) as PartialTemplate)
    )
  }
}

/** Finds the ids of all matches, in order. */
async function findIdsInOrder(snapshot: Db, plan: Plan, search: Search): Promise<number[]> {
  const select = isByTrait(search.order) ? selectByTrait : selectInOrder
  const matches = select(snapshot, { ...search, fields: onlyId }, await chooseRows(snapshot, plan))
  const { collectIds } = engineOf(snapshot).syntax
  const { rows } = await collectIds(sql`select id from (${matches}) as matches`).execute(snapshot)
  return JSON.parse(rows[0]?.ids ?? '[]')
}

/** Completes templates with their long documents, which it reads one by one. */
async function* completeLongDocuments(
  snapshot: Db,
  templates: PartialTemplate[]
): AsyncGenerator<PartialTemplate[]> {
  let short: PartialTemplate[] = []
  for (const template of templates) {
    if (template.data !== null) short.push(template)
    else {
      if (short.length > 0) yield short
      short = []
      await yieldToEventLoop()
      yield [{ ...template, data: await readDocument(snapshot, template) }]
    }
  }
  if (short.length > 0) yield short
}

/** Like {@link readList}, with all fields. */
export const readWholeList = (snapshot: Db, plan: Plan, search: Omit<Search, 'fields'>) =>
  readList(snapshot, plan, { ...search, fields: allFields }) as AsyncGenerator<ProductTemplate[]>

/** Runs a job that reads the matches of a filter in a snapshot. `needsIndex`: also without a filter. */
const readMatches = <T>(
  db: Db,
  { filter, needsIndex = false, ...options }: Partial<SnapshotOptions> & { filter: TemplateFilter },
  job: (snapshot: Db, plan: Plan) => Promise<T>
): Promise<T> =>
  inSnapshot(db, { ...options, needsIndex: needsIndex || filterNeedsIndex(filter) }, snapshot =>
    job(snapshot, planFilter(snapshot, filter))
  )

/** The templates to list, in the form of the GraphQL query `allProducts`. */
export interface ListOptions {
  /** All templates if omitted. */
  where?: FilterInput
  /** Most recently modified first if omitted. */
  orderBy?: Omit<TemplateOrder, 'isReversed'>
  limit?: number
  offset?: number
}

/**
 * Lists the templates that match, with their whole documents. A replica that has everything committed before may serve
 * them. Throws ArgumentError if an option is invalid.
 */
export async function listWholeTemplates(
  db: Db,
  { where, orderBy: order = defaultOrder, limit, offset }: ListOptions = {}
): Promise<ProductTemplate[]> {
  for (const [name, value] of Object.entries({ limit, offset }))
    if (value !== undefined && !(Number.isInteger(value) && value >= 0 && value <= maxInt))
      throw new ArgumentError(`${name} must be an integer from 0 to ${maxInt}`)
  checkOrder(order)
  if (where) checkWhere(where, 'where')
  const filter = toFilter(where)
  const needsIndex = orderNeedsIndex(order)
  const templatesVersion = await readTemplatesVersion(db)
  return readMatches(db, { filter, needsIndex, templatesVersion }, async (snapshot, plan) =>
    (await Array.fromAsync(readWholeList(snapshot, plan, { order, limit, offset }))).flat()
  )
}

/** Finds the ids of all templates that match `where`. Throws ArgumentError for a wrong filter or too many matches. */
export const findMatchingIds = (
  db: Db,
  { where, rule }: { where: FilterInput; rule: TemplateRule | undefined },
  max: number,
  signal: AbortSignal
): Promise<number[]> =>
  readMatches(db, { filter: toFilter(where, rule), signal }, async (snapshot, plan) => {
    const ids = await plan.findIds(snapshot)
    if (ids.length > max)
      throw new ArgumentError(`where matches ${ids.length} templates; the maximum is ${max}`)
    return [...ids]
  })

/** The templates of an export, all of one moment. */
export interface Export {
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
  const order = { field: 'ID', direction: 'ASC' } as const
  const filter = since === undefined ? {} : { timeModified: { gte: since } }
  const templatesVersion = await readTemplatesVersion(db)
  return readMatches(db, { filter, templatesVersion }, async (snapshot, plan) =>
    job({
      count: await countTemplates(snapshot, plan),
      read: () => readWholeList(snapshot, plan, { order })
    })
  )
}
