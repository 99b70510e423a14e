import { sql } from 'kysely'
import { createFunction, isPostgres, type MigratedDb } from '../columns.ts'

/**
 * Creates the list of templates that are not indexed yet. Triggers mark every written template. A writer that also
 * indexes it removes the mark in the same transaction.
 */
export const markPending = (db: MigratedDb): Promise<void> =>
  isPostgres(db) ? markOnPostgres(db) : markOnSqlite(db)

async function markOnSqlite(db: MigratedDb): Promise<void> {
  await sql`create table product_template_pending (template_id integer primary key)`.execute(db)
  // Not "insert or ignore": the conflict clause of the outer statement would override it.
  const mark = (row: string) =>
    sql.raw(`insert into product_template_pending select ${row}.id
      where not exists (select 1 from product_template_pending where template_id = ${row}.id);`)
  await sql`create trigger product_template_inserted after insert on product_template
    begin ${mark('new')} end`.execute(db)
  await sql`create trigger product_template_deleted after delete on product_template
    begin ${mark('old')} end`.execute(db)
  await sql`create trigger product_template_updated
    after update of id, name, data, name_folded, name_key on product_template
    when (old.id, old.name, old.data, old.name_folded, old.name_key)
      is not (new.id, new.name, new.data, new.name_folded, new.name_key)
    begin ${mark('old')} ${mark('new')} end`.execute(db)
}

/**
 * Every mark is a new row, so that writers never wait for each other. A writer that indexes the templates itself sets
 * `product_templates.indexing`, and unsets it after its statements, because others of the transaction may not index.
 */
async function markOnPostgres(db: MigratedDb): Promise<void> {
  await sql`create table product_template_pending (
    mark bigint generated always as identity primary key,
    template_id integer not null
  )`.execute(db)
  await createFunction(
    db,
    'product_template_mark',
    `if current_setting('product_templates.indexing', true) = 'on' then
      return null;
    elsif tg_op = 'INSERT' then
      insert into product_template_pending (template_id) select id from new_rows;
    elsif tg_op = 'DELETE' then
      insert into product_template_pending (template_id) select id from old_rows;
    elsif tg_op = 'UPDATE' then
      insert into product_template_pending (template_id)
        select coalesce(new_rows.id, old_rows.id) from old_rows full join new_rows on new_rows.id = old_rows.id
        where (old_rows.id, old_rows.name, old_rows.data, old_rows.name_folded, old_rows.name_key)
          is distinct from (new_rows.id, new_rows.name, new_rows.data, new_rows.name_folded, new_rows.name_key);
    else
      delete from product_template_pending;
      update product_template_index set version = 0, complete = 0, reached = null;
    end if;
    return null;`
  )
  const tables = {
    insert: sql`referencing new table as new_rows`,
    delete: sql`referencing old table as old_rows`,
    update: sql`referencing old table as old_rows new table as new_rows`,
    truncate: sql``
  }
  for (const [event, referencing] of Object.entries(tables))
    await sql`create trigger ${sql.ref(`product_template_${event}`)} after ${sql.raw(event)} on product_template
      ${referencing} for each statement execute function product_template_mark()`.execute(db)
}
