import type { AnyDb } from '../schema.ts'

/** Counters of what may be tried only so often. */
export async function up(db: AnyDb): Promise<void> {
  await db.schema
    .createTable('product_attempt')
    .addColumn('subject', 'text', column => column.primaryKey())
    .addColumn('count', 'integer', column => column.notNull())
    .addColumn('time_ends', 'text', column => column.notNull())
    .execute()
}
