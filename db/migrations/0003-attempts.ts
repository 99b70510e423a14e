import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Creates the counters of limited attempts. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_attempt (
    subject ${text} primary key,
    count integer not null,
    time_ends ${timestamp} not null
  )`.execute(db)
}
