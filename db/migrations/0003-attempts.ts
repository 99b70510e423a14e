import { columnsOf, type MigratedDb } from './columns.ts'

/** Counters of limited attempts. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema
    .createTable('product_attempt')
    .addColumn('subject', text, column => column.primaryKey())
    .addColumn('count', 'integer', column => column.notNull())
    .addColumn('time_ends', timestamp, column => column.notNull())
    .execute()
}
