import { sql } from 'kysely'
import { listColumns, type MigratedDb } from '../columns.ts'

const now = `strftime('%Y-%m-%dT%H:%M:%f', 'now') || '000Z'`

/** Archives and records every change of these columns of templates, and of `data`. */
export async function recordOnSqlite(db: MigratedDb, others: string[]): Promise<void> {
  const columns = [...others, 'data']
  // Not "insert or ignore": the conflict clause of the outer statement would override it.
  const archive = (from: string, data = `${from}.data`) =>
    `insert into product_template_past (template_id, number, ${listColumns('', columns)})
      select ${from}.id, ${from}.revision, ${listColumns(`${from}.`, others)}, ${data}
      where not exists (select 1 from product_template_past where template_id = ${from}.id and number = ${from}.revision);`
  const record = (id: string, number: string, action: string, condition = 'true') =>
    `insert into product_revision (template_id, number, action, time_recorded)
      select ${id}, ${number}, '${action}', ${now} where ${condition}
      and not exists (select 1 from product_revision where template_id = ${id} and number = ${number});`
  const lastNumber = 'select max(number) from product_revision where template_id = new.id'
  const stored = '(select revision from product_template where id = new.id)'
  const trigger = async (name: string, event: string, body: string) => {
    await sql.raw(`drop trigger if exists product_template_${name}`).execute(db)
    await sql.raw(`create trigger product_template_${name} ${event} begin ${body} end`).execute(db)
  }

  // "insert or replace" and "update or replace" delete without triggers.
  const replaced = `insert into product_template_past (template_id, number, ${listColumns('', columns)})
      select id, revision, ${listColumns('', columns)} from product_template where id = new.id and not exists
        (select 1 from product_template_past where template_id = new.id and number = revision);
    ${record('new.id', stored, 'CREATE')}`
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
    ${record('old.id', 'old.revision', 'CREATE')}
    update product_template set revision = old.revision + 1 where id = new.id;
    ${record('new.id', 'old.revision + 1', 'UPDATE')}`
  )
  const leave = `${archive('old')} ${record('old.id', 'old.revision', 'CREATE')}
    ${record('old.id', 'old.revision + 1', 'DELETE')}`
  await trigger(
    'renumbered',
    'after update of id on product_template when new.id <> old.id',
    `${leave}
    update product_template set revision = coalesce((${lastNumber}), 0) + 1 where id = new.id;
    ${record('new.id', stored, 'CREATE')}`
  )
  await trigger('removed', 'after delete on product_template', leave)
}
