import { sql } from 'kysely'
import { createFunction, isPostgres, type MigratedDb } from './columns.ts'

/**
 * Makes the cost of an insert on PostgreSQL independent of the number of templates. The statement until now joined the
 * templates with all revisions. Its plan was made when there were none, so each insert read both tables.
 */
export async function up(db: MigratedDb): Promise<void> {
  if (!isPostgres(db)) return
  const record = (
    rows: string
  ) => `insert into product_revision (template_id, number, action, hash, time_recorded)
    select id, revision, 'CREATE', encode(sha256(convert_to(data, 'UTF8')), 'hex'), clock_timestamp() from ${rows}
    on conflict (template_id, number) do nothing;`
  // A scalar query is an index lookup per row in every plan.
  const body = `if exists (select 1 from new_rows
      where (select count(*) from product_revision where template_id = new_rows.id) > 0) then
      update product_template set revision = last.number + 1 from (
        select distinct on (template_id) template_id, number, action
        from product_revision join new_rows on new_rows.id = template_id order by template_id, number desc
      ) as last where id = template_id and (action = 'DELETE' or number > revision);
      ${record('(select product_template.* from product_template join new_rows using (id)) as created')}
    else
      ${record('new_rows')}
    end if;
    return null;`
  await createFunction(db, 'product_template_create', body)
  await sql`drop trigger product_template_created on product_template`.execute(db)
  await sql`create trigger product_template_created after insert on product_template referencing new table as new_rows
    for each statement execute function product_template_create()`.execute(db)
}
