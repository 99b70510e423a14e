import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from './columns.ts'

/** Creates the table for results of requests with an Idempotency-Key. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_idempotency (
    key ${text} primary key,
    request ${text} not null,
    result ${text} not null,
    time_created ${timestamp} not null
  )`.execute(db)
  await sql`create index product_idempotency_by_time on product_idempotency (time_created)`.execute(db)
}
