import { sql } from 'kysely'
import { createFunction, isPostgres, type MigratedDb } from './columns.ts'

/**
 * On PostgreSQL, takes ids from a sequence, so that writers do not wait for each other. An insert with a chosen id moves the
 * sequence.
 */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  // With 64 bits, it never reaches its end. At its end, the statement and the transaction would fail.
  await sql`create sequence product_template_id as bigint`.execute(db)
  await sql`select setval('product_template_id', used.id) from (
    select max(id) as id from (select max(id) as id from product_template
      union all select max(template_id) from product_revision) as ids
  ) as used where used.id > 0`.execute(db)
  await createFunction(
    db,
    'product_template_number',
    `perform setval('product_template_id', chosen.id)
      from (select max(id) as id from new_rows) as chosen, product_template_id
      where chosen.id > last_value;
    return null;`
  )
  await sql`create trigger product_template_numbered after insert on product_template referencing new table as new_rows
    for each statement execute function product_template_number()`.execute(db)
}
