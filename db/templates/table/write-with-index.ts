/** Writes rows of `product_template`, each together with its index entries. */
import { sql } from 'kysely'
import { engineOf } from '../../dialects/engine.ts'
import { prepared } from '../../dialects/prepared.ts'
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
export async function insertRows(db: Db, rows: UnindexedRow[]): Promise<void> {
  const { index } = engineOf(db)
  const ids = rows.map(({ id }) => id)
  await index.write(db, ids, async () => {
    const named = rows.map(row => ({ ...row, ...nameColumns(row.name) }))
    await db.insertInto('product_template').values(named).execute()
    // The index may still have entries of templates with these ids that plain SQL has deleted.
    await index.replace(db, rows.map(toIndexEntry))
  })
}

/** Gives locked templates new values; `db` is a transaction. */
export async function updateProductTemplates(
  db: Db,
  changes: { before: ProductTemplate; after: ProductTemplate }[]
): Promise<void> {
  const { index } = engineOf(db)
  const ids = changes.map(({ after }) => after.id)
  await index.write(db, ids, async () => {
    for (const { after, before } of changes) await updateRow(db, after, before)
    for (const group of groupBySize(changes, ({ after }) => after.data.length)) {
      const changed = group.flatMap(({ after, before }) => toChangedEntry(after, before) ?? [])
      if (changed.length > 0) await index.replace(db, changed)
      await takeTurn()
    }
  })
}

/** Sets only columns that differ. Otherwise the engines would write the others again, and SQLite also their indexes. */
async function updateRow(db: Db, after: ProductTemplate, before: ProductTemplate): Promise<void> {
  const former: Record<string, unknown> = toRow(before)
  const values = Object.entries(toRow(after)).filter(([column, value]) => value !== former[column])
  const changed = Object.fromEntries(values) as Partial<UnindexedRow>
  if (values.length === 0) return
  await prepared(db)
    .updateTable('product_template')
    .set(changed.name === undefined ? changed : { ...changed, ...nameColumns(changed.name) })
    .where('id', '=', after.id)
    .execute()
}

/** Deletes locked templates; `db` is a transaction. */
export async function deleteProductTemplates(db: Db, ids: number[]): Promise<void> {
  const { index, syntax } = engineOf(db)
  await index.write(db, ids, async () => {
    await db
      .deleteFrom('product_template')
      .where(syntax.isOneOf(sql.ref('product_template.id'), ids))
      .execute()
    await index.removeDeleted(db, ids)
  })
}
