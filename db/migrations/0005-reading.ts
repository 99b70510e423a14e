import { sql } from 'kysely'
import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/** On SQLite, an index also has all columns except the document, because reading a row there reads its document. */
const coveredColumns =
  'name, name_folded, name_key, component_name, blockchain_id, public_product, max_items, time_created, time_modified'

/** Adds columns for conditions on names, and an index for each order. The index of templates fills the columns: see 0006. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`alter table product_template add column name_folded ${text} not null default ''`.execute(db)
  await sql`alter table product_template add column name_key ${text} not null default ''`.execute(db)
  const orders = { modified: 'time_modified', created: 'time_created', name: 'name_key', id: 'id' }
  for (const [order, column] of Object.entries(orders)) {
    const all = [column, 'id', ...(isPostgres(db) ? [] : coveredColumns.split(', '))]
    const columns = [...new Set(all)]
    // For the id alone, the primary key is such an index.
    if (columns.length > 1)
      await sql.raw(`create index product_template_by_${order} on product_template (${columns})`).execute(db)
  }
  await sql`drop index product_template_newest_first`.execute(db)
}
