import { columnsOf, isPostgres, type MigratedDb } from './columns.ts'

/** Columns for conditions on names, and an index for each order. What fills the columns is derived: see 0006. */
export async function up(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  for (const column of ['name_folded', 'name_key']) {
    await db.schema
      .alterTable('product_template')
      .addColumn(column, text, definition => definition.notNull().defaultTo(''))
      .execute()
  }
  await createOrders(db)
}

/** SQLite reads a row with its document: there an index carries every other column. */
const carried = [
  'name',
  'name_folded',
  'name_key',
  'component_name',
  'blockchain_id',
  'public_product',
  'max_items',
  'time_created',
  'time_modified'
]

async function createOrders(db: MigratedDb): Promise<void> {
  const orders = { modified: 'time_modified', created: 'time_created', name: 'name_key', id: 'id' }
  for (const [order, column] of Object.entries(orders)) {
    const columns = [...new Set([column, 'id', ...(isPostgres(db) ? [] : carried)])]
    // The primary key is one already.
    if (columns.length === 1) continue
    await db.schema
      .createIndex(`product_template_by_${order}`)
      .on('product_template')
      .columns(columns)
      .execute()
  }
  await db.schema.dropIndex('product_template_newest_first').execute()
}
