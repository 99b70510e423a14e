/** The history of templates, which triggers write: the contents of each revision, its author, and its visibility. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fieldNames, maxInt } from '../../../domain/columns.ts'
import { unavailable } from '../../../runtime/errors.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, RevisionAction } from '../../schema.ts'
import { filterNeedsIndex, type TemplateFilter } from '../filter/filter.ts'
import { matchesFilter } from '../filter/plan.ts'
import {
  maxBytesTogether,
  namedColumns,
  type PartialTemplate,
  selectTemplates,
  type TemplateRow,
  type TemplateWithRevision,
  toTemplate,
  wholeTemplate
} from '../product-templates.ts'

/** A revision of a template, without its contents. */
export interface Revision {
  id: number
  number: number
  action: RevisionAction
  /** SHA-256 of `data`, hex; null for a deletion, or if it is not computed yet. */
  hash: string | null
  /** The `sub` of the author's token; null without one. */
  subject: string | null
  clientId: string | null
  /** The name of a subject that is not a user of the store. */
  name: string | null
  message: string | null
  /** UTC with microseconds. */
  timeRecorded: string
  /** 0 or 1: whether it is the last revision of the template. */
  isLatest: number
}

/** Columns that are in both tables. */
const sharedColumns = namedColumns(fieldNames.filter(field => field !== 'id' && field !== 'data'))

/** Reads the document of a past revision. Equal bytes are stored once, with the last revision that has them. */
const fromDocument = (value: RawBuilder<unknown>, id: RawBuilder<unknown>, number: RawBuilder<unknown>) =>
  sql`coalesce(
    ${value},
    (select ${value} from product_template_past as later where later.template_id = ${id}
      and later.number > ${number} and data is not null order by later.number limit 1),
    (select ${value} from product_template as latest where latest.id = ${id}))`

/** Finds a template as it was in a revision; undefined if there is no such revision or it is a deletion. */
export const findTemplateAt: typeof selectTemplateAt = (db, id, number) =>
  selectTemplateAt(prepared(db), id, number)

/** This is one statement, because the template may change between two statements. */
async function selectTemplateAt(
  db: Db,
  id: number,
  number: number
): Promise<TemplateWithRevision | undefined> {
  const { rows } = await sql<TemplateRow>`
    select id, revision, ${sharedColumns}, data from product_template where id = ${id} and revision = ${number}
    union all select template_id, number, ${sharedColumns}, ${fromDocument(sql`data`, sql`${id}`, sql`${number}`)}
      from product_template_past where template_id = ${id} and number = ${number}
    limit 1`.execute(db)
  return rows[0] && (toTemplate(rows[0]) as TemplateWithRevision)
}

/**
 * Returns the document of a template as it was when the template was found. Reads a long document separately. If the
 * revision is unknown, it reads the current document. Rejects with 503 if the history of the template was deleted
 * since.
 */
export async function readDocument(db: Db, { id, revision, data }: PartialTemplate): Promise<string> {
  if (typeof data === 'string') return data
  // The statement is not prepared: the server may refuse a prepared statement, and a snapshot does not start again.
  const template =
    revision === undefined
      ? (await selectTemplates(db, wholeTemplate, sql<SqlBool>`id = ${id}`))[0]
      : await selectTemplateAt(db, id, revision)
  if (!template) throw unavailable('the history of a template was deleted while it was read')
  return template.data
}

/** A revision, named by its template and its number. */
export interface RevisionKey {
  id: number
  revision: number
}

/** Writes a key as the key of a map. */
export const toMapKey = ({ id, revision }: RevisionKey): string => `${id} ${revision}`

/** A template as it was in a revision. `data` is null if it is long or not wanted. */
type TemplateAt = Omit<TemplateWithRevision, 'data'> & { data: string | null }

/** Finds templates as they were in a limited number of revisions, in the order of the keys. */
export async function findTemplatesAt(
  db: Db,
  keys: readonly RevisionKey[],
  withData: boolean
): Promise<(TemplateAt | undefined)[]> {
  if (keys.length === 0) return []
  const pairs = keys.map(({ id, revision }) => sql`(${sql.lit(id)}, ${sql.lit(revision)})`)
  const read = (value: (part: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    withData
      ? sql`case when ${value(sql`octet_length(data)`)} <= ${sql.lit(maxBytesTogether)} then ${value(sql`data`)} end`
      : sql`cast(null as text)`
  const ofPast = (part: RawBuilder<unknown>) =>
    fromDocument(part, sql`wanted.wanted_id`, sql`wanted.wanted_number`)
  const { rows } = await sql<TemplateRow>`
    with wanted (wanted_id, wanted_number) as (values ${sql.join(pairs)})
    select id, revision, ${sharedColumns}, ${read(part => part)} as data
      from wanted join product_template on id = wanted_id and revision = wanted_number
    union all select template_id, number, ${sharedColumns}, ${read(ofPast)}
      from wanted join product_template_past on template_id = wanted_id and number = wanted_number`.execute(
    db
  )
  const templates = rows.map(row => toTemplate(row) as TemplateAt)
  const byKey = new Map(templates.map(template => [toMapKey(template), template]))
  return keys.map(key => byKey.get(toMapKey(key)))
}

/** Lists the revisions of a template before a number, newest first. The template may be deleted. */
export const listRevisions = (db: Db, id: number, first: number, before = maxInt): Promise<Revision[]> =>
  selectRevisions(db, id).where('number', '<', before).orderBy('number', 'desc').limit(first).execute()

/** Finds a revision without its contents. */
export const findRevision = (db: Db, id: number, number: number): Promise<Revision | undefined> =>
  selectRevisions(db, id).where('number', '=', number).executeTakeFirst()

const selectRevisions = (db: Db, id: number) => selectAllRevisions(prepared(db)).where('template_id', '=', id)

const isLatest = sql<number>`case when exists (select 1 from product_revision as later
  where later.template_id = product_revision.template_id and later.number > product_revision.number) then 0 else 1 end`

const selectAllRevisions = (db: Db) =>
  db
    .selectFrom('product_revision')
    .select(['template_id as id', 'number', 'action', 'hash', 'subject', 'client_id as clientId', 'message'])
    .select('author_name as name')
    .select('time_recorded as timeRecorded')
    .select(isLatest.as('isLatest'))

/** Lists the revisions of a bulk change after a sequence number. */
export const listRevisionsOfBulkChange = (
  db: Db,
  bulkChange: string,
  { after = 0, first }: { after: number | undefined; first: number }
): Promise<(Revision & { sequence: number })[]> =>
  selectAllRevisions(db)
    .select('sequence')
    .where('bulk_change', '=', bulkChange)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(first)
    .execute()

/** Revisions that one statement finds. */
const revisionsPerStatement = 100

/** Returns the revisions whose contents match a filter. Of a deletion, the contents before it are tested. */
export async function selectVisibleRevisions<R extends Revision>(
  db: Db,
  filter: TemplateFilter,
  revisions: R[]
): Promise<R[]> {
  const keyOf = ({ id, number, action }: Revision) => ({
    id,
    revision: action === 'DELETE' ? number - 1 : number
  })
  const seen = await findVisible(db, filter, revisions.map(keyOf))
  return revisions.filter(revision => seen.has(toMapKey(keyOf(revision))))
}

/** Returns the keys, by {@link toMapKey}, of the revisions whose contents match a filter. */
export async function findVisible(db: Db, filter: TemplateFilter, keys: RevisionKey[]): Promise<Set<string>> {
  const distinct = [...new Map(keys.map(key => [toMapKey(key), key])).values()]
  const readsDocuments = filterNeedsIndex(filter)
  const seen = new Set<string>()
  for (let start = 0; start < distinct.length; start += revisionsPerStatement) {
    const some = distinct.slice(start, start + revisionsPerStatement)
    await yieldToEventLoop()
    for (const template of await findTemplatesAt(db, some, readsDocuments)) {
      const data = template && (readsDocuments ? await readDocument(db, template) : '')
      if (!template || data === undefined) continue
      await yieldToEventLoop()
      if (matchesFilter(filter, { ...template, data })) seen.add(toMapKey(template))
    }
  }
  return seen
}
