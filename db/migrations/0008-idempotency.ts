import { columnsOf, type MigratedDb } from './columns.ts'

/** Results of requests with an Idempotency-Key. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_idempotency')
    .addColumn('key', text, column => column.primaryKey())
    .addColumn('request', text, column => column.notNull())
    .addColumn('result', text, column => column.notNull())
    .addColumn('time_created', timestamp, column => column.notNull())
    .execute()
  await db.schema
    .createIndex('product_idempotency_by_time')
    .on('product_idempotency')
    .column('time_created')
    .execute()
}
