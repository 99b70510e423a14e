/** Writes rows of `product_template`, each together with its index entries. */
import { type OperationNodeSource, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db, Transaction } from '../../schema.ts'
import { nameColumns } from '../filter/keys.ts'
import { groupBySize, toChangedEntry, toIndexEntry } from '../index/entries.ts'
import { takeTurn } from '../meter.ts'
import type { ProductTemplate } from './columns.ts'
import { toRow, type UnindexedRow } from './product-templates.ts'

/** Inserts at most 500 templates, because the engines limit the number of parameters. */
export const insertProductTemplates = (
  transaction: Transaction,
  templates: ProductTemplate[]
): Promise<void> => insertRows(transaction, templates.map(toRow))

/** Like {@link insertProductTemplates}, for rows, which may come from another database. */
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
interface Change {
  before: ProductTemplate
  after: ProductTemplate
}

/** Gives locked templates new values, each together with what `record` writes. */
export async function updateProductTemplates<C extends Change>(
  transaction: Transaction,
  changes: C[],
  record: (some: C[]) => OperationNodeSource
): Promise<void> {
  for (const group of groupBySize(changes, ({ after }) => after.data.length)) {
    await engineOf(transaction).index.write(transaction, {
      ids: group.map(({ after }) => after.id),
      statements: [record(group), ...group.flatMap(change => updateRow(transaction, change))],
      entries: group.flatMap(({ after, before }) => toChangedEntry(after, before) ?? [])
    })
    await takeTurn()
  }
}

/** Sets only columns that differ. Otherwise the engines would write the others again, and SQLite also their indexes. */
function updateRow(db: Db, { after, before }: Change) {
  const former: Record<string, unknown> = toRow(before)
  const values = Object.entries(toRow(after)).filter(([column, value]) => value !== former[column])
  const changed = Object.fromEntries(values) as Partial<UnindexedRow>
  if (values.length === 0) return []
  return db
    .updateTable('product_template')
    .set(changed.name === undefined ? changed : { ...changed, ...nameColumns(changed.name) })
    .where('id', '=', after.id)
}

/** Deletes locked templates, together with what `record` writes. */
export async function deleteProductTemplates(
  transaction: Transaction,
  ids: number[],
  record: OperationNodeSource
): Promise<void> {
  const { index, syntax } = engineOf(transaction)
  const isGone = syntax.isOneOf(sql.ref('product_template.id'), ids)
  const statements = [record, transaction.deleteFrom('product_template').where(isGone)]
  await index.write(transaction, { ids, statements, entries: [] })
  await index.removeDeleted(transaction, ids)
}
