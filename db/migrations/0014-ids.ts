import { sql } from 'kysely'
import { createFunction, isPostgres, type MigratedDb } from './columns.ts'

/**
 * On PostgreSQL, ids come from a sequence, so that writers need not wait for each other to choose one. Ids that a writer
 * chooses move it, whoever writes.
 */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  // Not limited to 32 bits: a sequence at its end would fail, and the transaction with it.
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
