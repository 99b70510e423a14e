import { columnsOf, type MigratedDb } from './columns.ts'

/** The secret of a client before the last change, which may stay valid for a while. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await db.schema.alterTable('product_client').addColumn('previous_secret_hash', text).execute()
  await db.schema.alterTable('product_client').addColumn('time_previous_expires', timestamp).execute()
}
