/**
 * Carries out the decisions about templates, in the transaction of the caller, who has locked the existing ones.
 *
 * Only triggers (db/migrations/triggers/history.ts) write the history, because other programs also write templates, by
 * plain SQL. For each change of `product_template`, the triggers copy the old values to `product_template_past` and
 * insert a row into `product_revision`. The service writes the row of a template and its index entries. Then the
 * service adds the author, the message and the hash to the revision. Nobody sees a revision without them, because this
 * is one transaction.
 */
import { type RawBuilder, sql } from 'kysely'
import { columns, fieldNames, type ProductTemplate } from '../../../domain/columns.ts'
import { hashData } from '../../../domain/document.ts'
import { timestamp } from '../../../domain/timestamp.ts'
import { yieldToEventLoop } from '../../../runtime/event-loop.ts'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
import type { Db, ProductTemplateTable, RevisionAction, Transaction } from '../../schema.ts'
import { recordBulkChange } from '../bulk-changes.ts'
import { nameColumns } from '../filter/keys.ts'
import type { TemplateWithRevision } from '../product-templates.ts'
import { groupBySize, removeDeleted, toChangedEntry, toIndexEntry } from '../template-index/entries.ts'
import { type Decision, type Effect, idOf, toWriteResult, type WriteResult } from './decisions.ts'
import { findMissingRights } from './missing-rights.ts'
import type { Author } from './rights.ts'

/**
 * Carries out at most 500 decisions, unless one of them has a problem. Returns the results in the order of the
 * decisions. Rejects with NotAllowed if the author lacks a right.
 */
export async function writeDecisions(
  transaction: Transaction,
  decisions: Decision[],
  action: RevisionAction,
  author: Author
): Promise<WriteResult[]> {
  const accepted = decisions.filter(each => each.kind !== 'refuse')
  if (accepted.length < decisions.length) return decisions.map(each => toWriteResult(each))
  const writes = accepted.filter(each => each.kind !== 'keep')
  // Imports and bulk restorations have checked this before, to report each problem. For them it is only a guard.
  const missingRight = (await findMissingRights(transaction, author, writes)).find(Boolean)
  if (missingRight) throw missingRight
  const creations = writes.flatMap(each => (each.kind === 'create' ? each.after : []))
  const changes = writes.filter(each => each.kind === 'change')
  const deletions = writes.flatMap(each => (each.kind === 'delete' ? each.before.id : []))
  await insertIndexed(transaction, creations.map(toRow))
  await changeTemplates(transaction, changes)
  await removeTemplates(transaction, deletions)
  const numbers = await recordAuthors(transaction, writes, action, author)
  return accepted.map(each => toWriteResult(each, numbers.get(idOf(each))))
}

/** A row without the columns that are derived from it. */
type UnindexedRow = Omit<ProductTemplateTable, 'name_folded' | 'name_key'>

/** Inserts at most 500 rows, which may come from another database. The engines limit the parameters. */
export async function insertRows(transaction: Transaction, rows: UnindexedRow[]): Promise<void> {
  await insertIndexed(transaction, rows)
  await sql`select ${engineOf(transaction).index.resumeMarking}`.execute(transaction)
}

async function insertIndexed(transaction: Transaction, rows: UnindexedRow[]): Promise<void> {
  if (rows.length === 0) return
  const named = rows.map(row => ({ ...row, ...nameColumns(row.name) }))
  await engineOf(transaction).index.write(transaction, {
    ids: rows.map(({ id }) => id),
    statements: [transaction.insertInto('product_template').values(named)],
    // The index may still have entries of templates with these ids that plain SQL has deleted.
    entries: rows.map(toIndexEntry)
  })
}

/** A locked template and its new values. */
interface Replacement {
  before: TemplateWithRevision
  after: ProductTemplate
}

async function changeTemplates(transaction: Transaction, changes: Replacement[]): Promise<void> {
  for (const group of groupBySize(changes, ({ after }) => after.data.length)) {
    await engineOf(transaction).index.write(transaction, {
      ids: group.map(({ after }) => after.id),
      statements: group.map(change => updateRow(transaction, change)),
      entries: group.flatMap(({ after, before }) => toChangedEntry(after, before) ?? [])
    })
    await yieldToEventLoop()
  }
}

/** Sets only columns that differ. Otherwise the engines would write the others again, and SQLite also their indexes. */
function updateRow(db: Db, { after, before }: Replacement) {
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

async function removeTemplates(transaction: Transaction, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const { index, syntax } = engineOf(transaction)
  const isGone = syntax.isOneOf(sql.ref('product_template.id'), ids)
  const statements = [transaction.deleteFrom('product_template').where(isGone)]
  await index.write(transaction, { ids, statements, entries: [] })
  await removeDeleted(transaction, ids)
}

/**
 * Adds the author, the message and the hash to the revisions that the triggers have inserted. Returns the numbers of
 * the revisions by the ids of the templates. The triggers choose the numbers, because an id may be used again.
 */
async function recordAuthors(
  transaction: Transaction,
  writes: Effect[],
  action: RevisionAction,
  author: Author
): Promise<Map<number, number>> {
  if (writes.length === 0) return new Map()
  const { subject, clientId, name, message, bulkChange } = author
  const values: RawBuilder<unknown>[] = []
  for (const each of writes) {
    const hash = each.kind === 'delete' ? null : hashData(each.after.data)
    const last = each.kind === 'create' ? 0 : each.before.revision
    values.push(sql`(cast(${idOf(each)} as integer), cast(${hash} as text), cast(${last} as integer))`)
    await yieldToEventLoop()
  }
  const { rows } = await sql<{ id: number; number: number }>`
    with written (id, hash, after) as (values ${sql.join(values)}),
    last (id, hash, number) as (
      select id, hash, (select max(number) from product_revision where template_id = id and number > after) from written
    )
    update product_revision set action = case when last.hash is null then 'DELETE' else ${action} end,
      hash = last.hash, time_recorded = ${timestamp()}, subject = ${subject}, client_id = ${clientId},
      author_name = ${name}, message = ${message}, bulk_change = ${bulkChange ?? null}
    from last where template_id = last.id and product_revision.number = last.number
    returning template_id as id, product_revision.number, ${engineOf(transaction).index.resumeMarking}`.execute(
    writes.length === 1 ? prepared(transaction) : transaction
  )
  // Without its revision, a template would be stored without an author.
  if (rows.length < writes.length) throw new Error('a template has no revision: the triggers are missing')
  if (bulkChange) await recordBulkChange(transaction, bulkChange, { action, author, writes, revisions: rows })
  return new Map(rows.map(({ id, number }) => [id, number]))
}
