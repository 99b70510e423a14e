/** Writes rows of `product_template`, each together with its index entries. */
import { type OperationNodeSource, sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import type { Db } from '../../schema.ts'
import { nameColumns } from '../filter/keys.ts'
import { groupBySize, toChangedEntry, toIndexEntry } from '../index/entries.ts'
import { takeTurn } from '../meter.ts'
import type { ProductTemplate } from './columns.ts'
import { toRow, type UnindexedRow } from './product-templates.ts'

/** Inserts at most 500 templates, because the engines limit the number of parameters. `db` is a transaction. */
export const insertProductTemplates = (db: Db, templates: ProductTemplate[]): Promise<void> =>
  insertRows(db, templates.map(toRow))

/** Like {@link insertProductTemplates}, for rows, which may come from another database. */
export function insertRows(db: Db, rows: UnindexedRow[]): Promise<void> {
  const named = rows.map(row => ({ ...row, ...nameColumns(row.name) }))
  return engineOf(db).index.write(db, {
    ids: rows.map(({ id }) => id),
    statements: [db.insertInto('product_template').values(named)],
    // The index may still have entries of templates with these ids that plain SQL has deleted.
    entries: rows.map(toIndexEntry)
  })
}

/** A locked template and its new values. */
interface Change {
  before: ProductTemplate
  after: ProductTemplate
}

/** Gives locked templates new values, each together with what `record` writes; `db` is a transaction. */
export async function updateProductTemplates<C extends Change>(
  db: Db,
  changes: C[],
  record: (some: C[]) => OperationNodeSource
): Promise<void> {
  for (const group of groupBySize(changes, ({ after }) => after.data.length)) {
    await engineOf(db).index.write(db, {
      ids: group.map(({ after }) => after.id),
      statements: [record(group), ...group.flatMap(change => updateRow(db, change))],
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

/** Deletes locked templates, together with what `record` writes; `db` is a transaction. */
export async function deleteProductTemplates(
  db: Db,
  ids: number[],
  record: OperationNodeSource
): Promise<void> {
  const { index, syntax } = engineOf(db)
  const isGone = syntax.isOneOf(sql.ref('product_template.id'), ids)
  const statements = [record, db.deleteFrom('product_template').where(isGone)]
  await index.write(db, { ids, statements, entries: [] })
  await index.removeDeleted(db, ids)
}
