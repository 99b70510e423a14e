import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Adds the previous secret of a client, which may stay valid for a while. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`alter table product_client add column previous_secret_hash ${text}`.execute(db)
  await sql`alter table product_client add column time_previous_expires ${timestamp}`.execute(db)
}
