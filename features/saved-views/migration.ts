import { sql } from 'kysely'
import { columnsOf, type MigratedDb } from '../../db/migrations/columns.ts'

/** Creates the saved views. A view for all stays when its author is deleted. */
export async function up(db: MigratedDb): Promise<void> {
  const { text, timestamp } = columnsOf(db)
  await sql`create table product_saved_view (
    id ${text} primary key,
    user_id ${text} references product_user (id) on delete set null,
    name ${text} not null,
    query ${text} not null,
    columns ${text} not null,
    shared integer not null check (shared in (0, 1)),
    is_default integer not null check (is_default in (0, 1)),
    time_modified ${timestamp} not null
  )`.execute(db)
  await sql`create index product_saved_view_user on product_saved_view (user_id)`.execute(db)
}
