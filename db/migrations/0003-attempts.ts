import { engineOf } from '../dialects/engine.ts'
import type { AnyDb } from '../schema.ts'

/** Counters of what may be tried only so often. */
export async function up(db: AnyDb): Promise<void> {
  const { text, timestamp } = engineOf(db)
  await db.schema
    .createTable('product_attempt')
    .addColumn('subject', text, column => column.primaryKey())
    .addColumn('count', 'integer', column => column.notNull())
    .addColumn('time_ends', timestamp, column => column.notNull())
    .execute()
}
