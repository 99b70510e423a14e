import { sql } from 'kysely'
import { isPostgres, type MigratedDb } from './columns.ts'

/**
 * On PostgreSQL, a statement that updates revisions raises the version of the templates once, not once for each revision.
 * Until a transaction ends, each update of a row is slower than the last one, because the server goes through all former
 * values of the row. One transaction that writes 100,000 templates took minutes longer.
 */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  await sql`drop trigger product_version_update on product_revision`.execute(db)
  // Not the columns that are set later: the hash and the position.
  await sql`create trigger product_version_update
    after update of template_id, number, action, subject, client_id, message, time_recorded on product_revision
    for each statement execute function product_version_raise ('templates')`.execute(db)
  await sql`alter table product_revision enable always trigger product_version_update`.execute(db)
}
