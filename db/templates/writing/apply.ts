/**
 * Writes templates in the transaction of the caller, who has locked those that exist and has checked the author's rights.
 *
 * Only triggers write the history, because other programs write templates by plain SQL, too. For each change of
 * `product_template`, they copy the old values to `product_template_past` and insert a row into `product_revision`. The service
 * writes the row of a template and its index entries. Then it signs the revision that the triggers have inserted: it adds the
 * author, the message and the hash. Creations, changes and deletions are signed alike. Nobody sees a revision that is not
 * signed yet, because this is one transaction.
 */
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, ProductTemplateTable, RevisionAction, Transaction } from '../../schema.ts'
import { timestamp, timestampAfter } from '../../timestamp.ts'
import { nameColumns } from '../filter/keys.ts'
import { groupBySize, toChangedEntry, toIndexEntry } from '../index/entries.ts'
import { takeTurn } from '../meter.ts'
import { columns, fieldNames, type ProductTemplate } from '../table/columns.ts'
import { hashOf } from '../table/document.ts'
import type { PinnedTemplate } from '../table/product-templates.ts'
import type { Author } from './rights.ts'

/** Inserts at most 500 templates whose ids are free. Returns them with their revisions. */
export async function insertTemplates(
  transaction: Transaction,
  templates: ProductTemplate[],
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate[]> {
  if (templates.length === 0) return []
  await insertProductTemplates(transaction, templates)
  const revisions = templates.map(({ id, data }) => ({ id, data, after: 0 }))
  const numbers = await signRevisions(transaction, revisions, action, author)
  return templates.map(template => ({ ...template, revision: numbers.get(template.id) as number }))
}

/** Inserts templates like {@link insertTemplates}, but nobody signs their revisions. */
export const insertProductTemplates = (
  transaction: Transaction,
  templates: ProductTemplate[]
): Promise<void> => insertRows(transaction, templates.map(toRow))

/** A row without the columns that are derived from it. */
type UnindexedRow = Omit<ProductTemplateTable, 'name_folded' | 'name_key'>

/** Inserts at most 500 rows, which may come from another database, because the engines limit the number of parameters. */
export function insertRows(transaction: Transaction, rows: UnindexedRow[]): Promise<void> {
  const named = rows.map(row => ({ ...row, ...nameColumns(row.name) }))
  return engineOf(transaction).index.write(transaction, {
    ids: rows.map(({ id }) => id),
    statements: [transaction.insertInto('product_template').values(named)],
    // The index may still have entries of templates with these ids that plain SQL has deleted.
    entries: rows.map(toIndexEntry)
  })
}

/** A locked template and its new values. */
export interface TemplateChange {
  before: PinnedTemplate
  after: ProductTemplate
}

/**
 * Gives templates new values, as new revisions. A time of modification that is not later than the old one becomes the current
 * time, or the next after the old one.
 */
export async function changeTemplates(
  transaction: Transaction,
  changes: TemplateChange[],
  action: RevisionAction,
  author: Author
): Promise<PinnedTemplate[]> {
  const later = changes.map(({ before, after }) => {
    const isLater = after.timeModified > before.timeModified
    const timeModified = isLater ? after.timeModified : timestampAfter(before.timeModified)
    return { before, after: { ...after, timeModified, revision: before.revision + 1 } }
  })
  for (const group of groupBySize(later, ({ after }) => after.data.length)) {
    await engineOf(transaction).index.write(transaction, {
      ids: group.map(({ after }) => after.id),
      statements: group.map(change => updateRow(transaction, change)),
      entries: group.flatMap(({ after, before }) => toChangedEntry(after, before) ?? [])
    })
    const revisions = group.map(({ before, after: { id, data } }) => ({ id, data, after: before.revision }))
    await signRevisions(transaction, revisions, action, author)
    await takeTurn()
  }
  return later.map(({ after }) => after)
}

/** Sets only columns that differ. Otherwise the engines would write the others again, and SQLite also their indexes. */
function updateRow(db: Db, { after, before }: TemplateChange) {
  const former: Record<string, unknown> = toRow(before)
  const values = Object.entries(toRow(after)).filter(([column, value]) => value !== former[column])
  const changed = Object.fromEntries(values) as Partial<UnindexedRow>
  return db
    .updateTable('product_template')
    .set(changed.name === undefined ? changed : { ...changed, ...nameColumns(changed.name) })
    .where('id', '=', after.id)
}

/** Converts a template to its row. */
export function toRow(template: ProductTemplate): UnindexedRow {
  const values = fieldNames.map(field => {
    const { column, type } = columns[field]
    return [column, type === 'boolean' ? Number(template[field]) : template[field]]
  })
  return Object.fromEntries(values)
}

/** Deletes locked templates. Their revisions stay. */
export async function removeTemplates(
  transaction: Transaction,
  locked: PinnedTemplate[],
  author: Author
): Promise<void> {
  if (locked.length === 0) return
  const ids = locked.map(({ id }) => id)
  const { index, syntax } = engineOf(transaction)
  const isGone = syntax.isOneOf(sql.ref('product_template.id'), ids)
  const statements = [transaction.deleteFrom('product_template').where(isGone)]
  await index.write(transaction, { ids, statements, entries: [] })
  await index.removeDeleted(transaction, ids)
  const revisions = locked.map(({ id, revision }) => ({ id, data: undefined, after: revision }))
  await signRevisions(transaction, revisions, 'DELETE', author)
}

/**
 * Completes the last revisions of templates, which the triggers have inserted after those with the numbers `after`. Returns
 * their numbers by the ids of the templates. The triggers choose the number, because an id may be used again.
 */
async function signRevisions(
  transaction: Transaction,
  revisions: { id: number; data: string | undefined; after: number }[],
  action: RevisionAction,
  { subject, clientId, name, message }: Author
): Promise<Map<number, number>> {
  const given = revisions.map(({ id, data, after }) => {
    const hash = data === undefined ? null : hashOf(data)
    return sql`(cast(${id} as integer), cast(${hash} as text), cast(${after} as integer))`
  })
  const { rows } = await sql<{ id: number; number: number }>`
    with given (id, hash, after) as (values ${sql.join(given)}),
    last (id, hash, number) as (
      select id, hash, (select max(number) from product_revision where template_id = id and number > after) from given
    )
    update product_revision set action = ${action}, hash = last.hash, time_recorded = ${timestamp()},
      subject = ${subject}, client_id = ${clientId}, author_name = ${name ?? null}, message = ${message}
    from last where template_id = last.id and product_revision.number = last.number
    returning template_id as id, product_revision.number`.execute(
    revisions.length === 1 ? prepared(transaction) : transaction
  )
  // Without its revision, a template would be stored without an author.
  if (rows.length < revisions.length) throw new Error('a template has no revision: the triggers are missing')
  return new Map(rows.map(({ id, number }) => [id, number]))
}
