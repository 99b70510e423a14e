import { sql } from 'kysely'
import { columns } from './0007-revisions.ts'
import { isPostgres, type MigratedDb } from './columns.ts'
import { recordChanges } from './triggers/record-changes.ts'

/** Makes the cost of an insert on PostgreSQL independent of the number of templates. New stores have had this trigger since 0007. */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  await recordChanges(db, columns)
  await sql`drop trigger product_template_created on product_template`.execute(db)
  await sql`create trigger product_template_created after insert on product_template referencing new table as new_rows
    for each statement execute function product_template_create()`.execute(db)
}
