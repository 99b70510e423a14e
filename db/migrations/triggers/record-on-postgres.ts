import { sql } from 'kysely'
import { listColumns, type MigratedDb } from '../columns.ts'
import { createFunction } from './create-function.ts'

/** Writes the functions that archive and record every change of these columns of templates, and of `data`. */
export async function recordOnPostgres(db: MigratedDb, others: string[]): Promise<void> {
  const columns = [...others, 'data']
  const past = `product_template_past (template_id, number, ${listColumns('', columns)})`
  const changed = `(${listColumns('old_rows.', columns)}) is distinct from (${listColumns('new_rows.', columns)})`
  const record = (rows: string, action: string, number = 'revision', data = 'data') =>
    `insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, ${number}, '${action}', ${data === 'null' ? 'null' : `encode(sha256(convert_to(${data}, 'UTF8')), 'hex')`},
        clock_timestamp() from ${rows}
      on conflict (template_id, number) do nothing;`
  // Not "on conflict" alone: a serializable writer would fail if the row was published since it began. A scalar query is
  // an index lookup per row in every plan.
  const unrecorded = (rows: string) =>
    `(select * from ${rows} where (select count(*) from product_revision
      where template_id = id and number = revision) = 0) as unrecorded`
  const leave = (rows: string) =>
    `insert into ${past} select id, revision, ${listColumns('', columns)} from ${rows} on conflict do nothing;
    ${record(unrecorded(rows), 'CREATE')}
    ${record(rows, 'DELETE', 'revision + 1', 'null')}`
  await createFunction(
    db,
    'product_template_count',
    `if new.id <> old.id then
      new.revision := 1 + coalesce((select max(number) from product_revision where template_id = new.id), 0);
    elsif (${listColumns('old.', columns)}) is distinct from (${listColumns('new.', columns)}) then
      new.revision := old.revision + 1;
    end if;
    return new;`
  )
  await createFunction(
    db,
    'product_template_record',
    `if tg_op = 'INSERT' then
      update product_template set revision = last.number + 1 from (
        select distinct on (template_id) template_id, number, action
        from product_revision join new_rows on new_rows.id = template_id order by template_id, number desc
      ) as last where id = template_id and (action = 'DELETE' or number > revision);
      ${record('(select product_template.* from product_template join new_rows using (id)) as created', 'CREATE')}
    elsif tg_op = 'DELETE' then
      ${leave('old_rows')}
    else
      ${leave('product_template')}
    end if;
    return null;`
  )
  // A plan is kept: one that was made for a single row must also serve thousands, which nested loops would not.
  await createFunction(
    db,
    'product_template_revise',
    `insert into ${past} select id, old_rows.revision, ${listColumns('old_rows.', others)},
      case when old_rows.data = new_rows.data then null else old_rows.data end
      from old_rows join new_rows using (id) where ${changed} on conflict do nothing;
    ${record(unrecorded(`(select old_rows.* from old_rows join new_rows using (id) where ${changed}) as former`), 'CREATE')}
    ${record(`(select new_rows.* from old_rows join new_rows using (id) where ${changed}) as revised`, 'UPDATE')}
    ${leave('(select * from old_rows where not exists (select 1 from new_rows where new_rows.id = old_rows.id)) as gone')}
    ${record('(select * from new_rows where not exists (select 1 from old_rows where old_rows.id = new_rows.id)) as renumbered', 'CREATE')}
    return null;`,
    'set enable_nestloop = off'
  )
}

/** Creates the triggers that run those functions. */
export async function triggerOnPostgres(db: MigratedDb): Promise<void> {
  const trigger = (name: string, event: string) =>
    sql.raw(`create trigger product_template_${name} ${event}`).execute(db)
  const run = 'for each statement execute function'
  const each = `${run} product_template_record()`
  const on = 'on product_template'
  await trigger('counted', `before update ${on} for each row execute function product_template_count()`)
  await trigger('created', `after insert ${on} referencing new table as new_rows ${each}`)
  await trigger(
    'revised',
    `after update ${on} referencing old table as old_rows new table as new_rows ${run} product_template_revise()`
  )
  await trigger('removed', `after delete ${on} referencing old table as old_rows ${each}`)
  await trigger('emptied', `before truncate ${on} ${each}`)
}
