import { engineOf } from '../dialects/engine.ts'
import type { AnyDb, Db } from '../schema.ts'
import { indexTemplates, nameColumns } from '../templates/index-templates.ts'

/** Rows of `product_template` that are indexed at a time. */
const batchSize = 500

/** What filters, orders and searches templates: derived from their rows, and kept with them. */
export async function up(db: AnyDb): Promise<void> {
  await createTraits(db)
  await engineOf(db).search.create(db)
  await extendTemplates(db)
  await indexStored(db)
  await createOrders(db)
}

async function createTraits(db: AnyDb): Promise<void> {
  const { text, clustered } = engineOf(db)
  const table = db.schema
    .createTable('product_trait')
    .addColumn('type', text, column => column.notNull())
    .addColumn('key', text, column => column.notNull())
    .addColumn('template_id', 'integer', column =>
      column.notNull().references('product_template.id').onDelete('cascade')
    )
    .addColumn('position', 'integer', column => column.notNull())
    .addColumn('element', 'integer', column => column.notNull())
    .addColumn('value', text)
    .addPrimaryKeyConstraint('product_trait_key', ['type', 'key', 'template_id', 'position', 'element'])
  await (clustered ? table.modifyEnd(clustered) : table).execute()
  await db.schema
    .createIndex('product_trait_template')
    .on('product_trait')
    .columns(['template_id', 'type', 'key'])
    .execute()
}

async function extendTemplates(db: AnyDb): Promise<void> {
  const { text } = engineOf(db)
  for (const column of ['name_folded', 'name_key']) {
    await db.schema
      .alterTable('product_template')
      .addColumn(column, text, definition => definition.notNull().defaultTo(''))
      .execute()
  }
}

async function indexStored(db: AnyDb): Promise<void> {
  let last = -1
  while (true) {
    const stored = await (db as Db)
      .selectFrom('product_template')
      .select(['id', 'name', 'data'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(batchSize)
      .execute()
    if (stored.length === 0) return
    const rows = stored.map(row => ({ ...row, ...nameColumns(row.name) }))
    for (const { id, name_folded, name_key } of rows)
      await db.updateTable('product_template').set({ name_folded, name_key }).where('id', '=', id).execute()
    await indexTemplates(db as Db, rows)
    last = rows.at(-1)?.id ?? last
  }
}

async function createOrders(db: AnyDb): Promise<void> {
  const { carried } = engineOf(db)
  const orders = { modified: 'time_modified', created: 'time_created', name: 'name_key', id: 'id' }
  for (const [order, column] of Object.entries(orders)) {
    const columns = [...new Set([column, 'id', ...carried])]
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
