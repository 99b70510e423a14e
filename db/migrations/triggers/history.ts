import { sql } from 'kysely'
import { createFunction, isPostgres, listColumns, type MigratedDb } from '../columns.ts'

/** The columns of a template in the first migration, except `id` and `data`. Later migrations may add others. */
export const templateColumns = [
  'blockchain_id',
  'max_items',
  'name',
  'public_product',
  'component_name',
  'time_created',
  'time_modified'
]

/**
 * Creates or replaces the triggers that archive and record every change of these columns of templates, and of `data`. A
 * migration that adds a column to `product_template` and `product_template_past` calls this again, with all columns
 * except `id` and `data`.
 */
export const recordChanges = (db: MigratedDb, columns: string[]): Promise<void> =>
  isPostgres(db) ? recordOnPostgres(db, columns) : recordOnSqlite(db, columns)

async function recordOnPostgres(db: MigratedDb, others: string[]): Promise<void> {
  await createFunctions(db, others)
  const trigger = (name: string, event: string) =>
    sql.raw(`create or replace trigger product_template_${name} ${event}`).execute(db)
  const run = 'for each statement execute function'
  const on = 'on product_template'
  await trigger('counted', `before update ${on} for each row execute function product_template_count()`)
  await trigger(
    'created',
    `after insert ${on} referencing new table as new_rows ${run} product_template_create()`
  )
  await trigger(
    'revised',
    `after update ${on} referencing old table as old_rows new table as new_rows ${run} product_template_revise()`
  )
  await trigger(
    'removed',
    `after delete ${on} referencing old table as old_rows ${run} product_template_record()`
  )
  await trigger('emptied', `before truncate ${on} ${run} product_template_record()`)
}

async function createFunctions(db: MigratedDb, others: string[]): Promise<void> {
  const columns = [...others, 'data']
  const past = `product_template_past (template_id, number, ${listColumns('', columns)})`
  const record = (rows: string, action: string, number = 'revision', data = 'data') =>
    `insert into product_revision (template_id, number, action, hash, time_recorded)
      select id, ${number}, ${action}, ${data === 'null' ? 'null' : `encode(sha256(convert_to(${data}, 'UTF8')), 'hex')`},
        clock_timestamp() from ${rows}
      on conflict (template_id, number) do nothing;`
  const leave = (rows: string) =>
    `insert into ${past} select id, revision, ${listColumns('', columns)} from ${rows} on conflict do nothing;
    ${record(rows, `'DELETE'`, 'revision + 1', 'null')}`
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
  // A join with all revisions would read both tables: the server keeps a plan, also one that was made when there were
  // none.
  await createFunction(
    db,
    'product_template_create',
    `if exists (select 1 from new_rows
      where (select count(*) from product_revision where template_id = new_rows.id) > 0) then
      update product_template set revision = last.number + 1 from (
        select distinct on (template_id) template_id, number, action
        from product_revision join new_rows on new_rows.id = template_id order by template_id, number desc
      ) as last where id = template_id and (action = 'DELETE' or number > revision);
      ${record('(select product_template.* from product_template join new_rows using (id)) as created', `'CREATE'`)}
    else
      ${record('new_rows', `'CREATE'`)}
    end if;
    return null;`
  )
  await createFunction(
    db,
    'product_template_record',
    `if tg_op = 'DELETE' then
      ${leave('old_rows')}
    else
      ${leave('product_template')}
    end if;
    return null;`
  )
  // The server keeps a plan. Without nested loops, a plan that was made for one row also suits thousands.
  await createFunction(
    db,
    'product_template_revise',
    `with changed as (
      select old_rows.*, new_rows.revision as next_revision, new_rows.data as next_data
      from old_rows join new_rows using (id)
      where (${listColumns('old_rows.', columns)}) is distinct from (${listColumns('new_rows.', columns)})
    ), archived as (
      insert into ${past} select id, revision, ${listColumns('', others)},
        case when data = next_data then null else data end from changed on conflict do nothing
    )
    ${record('changed', `'UPDATE'`, 'next_revision', 'next_data')}
    if exists (select 1 from new_rows where not exists (select 1 from old_rows where old_rows.id = new_rows.id)) then
      ${leave('(select * from old_rows where not exists (select 1 from new_rows where new_rows.id = old_rows.id)) as gone')}
      ${record(
        '(select * from new_rows where not exists (select 1 from old_rows where old_rows.id = new_rows.id)) as renumbered',
        `'CREATE'`
      )}
    end if;
    return null;`,
    'set enable_nestloop = off'
  )
}

const now = `strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'`

async function recordOnSqlite(db: MigratedDb, others: string[]): Promise<void> {
  const columns = [...others, 'data']
  // Not "insert or ignore": the conflict clause of the outer statement would override it.
  const archive = (from: string, data = `${from}.data`) =>
    `insert into product_template_past (template_id, number, ${listColumns('', columns)})
      select ${from}.id, ${from}.revision, ${listColumns(`${from}.`, others)}, ${data}
      where not exists (select 1 from product_template_past where template_id = ${from}.id and number = ${from}.revision);`
  const record = (id: string, number: string, action: string) =>
    `insert into product_revision (template_id, number, action, time_recorded)
      select ${id}, ${number}, '${action}', ${now}
      where not exists (select 1 from product_revision where template_id = ${id} and number = ${number});`
  const lastNumber = 'select max(number) from product_revision where template_id = new.id'
  const stored = '(select revision from product_template where id = new.id)'
  const trigger = async (name: string, event: string, body: string) => {
    await sql.raw(`drop trigger if exists product_template_${name}`).execute(db)
    await sql.raw(`create trigger product_template_${name} ${event} begin ${body} end`).execute(db)
  }

  // "insert or replace" and "update or replace" delete without triggers.
  const replaced = `insert into product_template_past (template_id, number, ${listColumns('', columns)})
      select id, revision, ${listColumns('', columns)} from product_template where id = new.id and not exists
        (select 1 from product_template_past where template_id = new.id and number = revision);`
  const exists = 'exists (select 1 from product_template where id = new.id)'
  await trigger('replaced', `before insert on product_template when ${exists}`, replaced)
  await trigger(
    'displaced',
    `before update of id on product_template when new.id <> old.id and ${exists}`,
    replaced
  )
  await trigger(
    'created',
    'after insert on product_template',
    `update product_template set revision = (${lastNumber}) + 1
      where id = new.id and exists (select 1 from product_revision as last
        where template_id = new.id and number = (${lastNumber}) and (action = 'DELETE' or number > new.revision
          or exists (select 1 from product_template_past as past where past.template_id = new.id and past.number = last.number)));
    ${record('new.id', stored, 'CREATE')}`
  )
  await trigger(
    'revised',
    `after update of ${listColumns('', columns)} on product_template
      when new.id = old.id and (${listColumns('old.', columns)}) is not (${listColumns('new.', columns)})`,
    `${archive('old', 'case when old.data = new.data then null else old.data end')}
    update product_template set revision = old.revision + 1 where id = new.id;
    ${record('new.id', 'old.revision + 1', 'UPDATE')}`
  )
  const leave = `${archive('old')} ${record('old.id', 'old.revision + 1', 'DELETE')}`
  await trigger(
    'renumbered',
    'after update of id on product_template when new.id <> old.id',
    `${leave}
    update product_template set revision = coalesce((${lastNumber}), 0) + 1 where id = new.id;
    ${record('new.id', stored, 'CREATE')}`
  )
  await trigger('removed', 'after delete on product_template', leave)
}
