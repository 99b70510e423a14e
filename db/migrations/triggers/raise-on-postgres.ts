import { sql } from 'kysely'
import type { MigratedDb } from '../columns.ts'
import { createFunction } from './create-function.ts'
import { accessUpdates, list, revisionColumns } from './raising-columns.ts'

/**
 * Of several rows, a writer changes one that no other writer has locked, or adds one. So writers never wait for each
 * other, and serializable ones seldom fail.
 */
export async function raiseOnPostgres(db: MigratedDb): Promise<void> {
  await sql`create table product_version (
    name text collate "C" not null,
    number integer generated always as identity,
    value uuid not null default gen_random_uuid(),
    primary key (name, number)
  ) with (fillfactor = 10)`.execute(db)
  await sql`insert into product_version (name)
    select name from (values ('access'), ('templates')) as version (name), generate_series(1, 32)`.execute(db)
  const raise = `update product_version set value = gen_random_uuid() where name = tg_argv[0] and number = (
      select number from product_version where name = tg_argv[0]
      order by mod(number + pg_backend_pid(), 32) limit 1 for update skip locked);
    if not found then insert into product_version (name) values (tg_argv[0]); end if;`
  await createFunction(db, 'product_version_raise', `${raise} return null;`)
  await createFunction(
    db,
    'product_version_raise_if_any',
    `if exists (select 1 from changed_rows) then ${raise} end if; return null;`
  )
  const trigger = async (name: string, event: string, how: string, version: string) => {
    const [, table] = event.split(' on ')
    await sql.raw(`create trigger product_version_${name} after ${event} ${how} ('${version}')`).execute(db)
    // Also for replication, and for sessions that switch other triggers off.
    await sql.raw(`alter table ${table} enable always trigger product_version_${name}`).execute(db)
  }
  const ifAny = (rows: 'old' | 'new') =>
    `referencing ${rows} table as changed_rows for each statement execute function product_version_raise_if_any`
  const always = 'for each statement execute function product_version_raise'
  await trigger('insert', 'insert on product_template', ifAny('new'), 'templates')
  await trigger('update', 'update on product_template', ifAny('new'), 'templates')
  await trigger('delete', 'delete on product_template', ifAny('old'), 'templates')
  await trigger('truncate', 'truncate on product_template', always, 'templates')
  const rewritten = `for each row
    when (${list('old', revisionColumns)} is distinct from ${list('new', revisionColumns)})
    execute function product_version_raise`
  await trigger('update', 'update on product_revision', rewritten, 'templates')
  await trigger('delete', 'delete on product_revision', ifAny('old'), 'templates')
  await trigger('update', 'update on product_template_past', ifAny('new'), 'templates')
  await trigger('delete', 'delete on product_template_past', ifAny('old'), 'templates')
  await trigger('update', 'update on product_template_index', ifAny('new'), 'templates')
  await trigger('insert', 'insert on product_revoked_token', ifAny('new'), 'access')
  for (const [table, columns] of Object.entries(accessUpdates)) {
    const changed = `for each row when (${list('old', columns)} is distinct from ${list('new', columns)})
      execute function product_version_raise`
    await trigger('update', `update on ${table}`, changed, 'access')
    await trigger('delete', `delete on ${table}`, ifAny('old'), 'access')
    await trigger('truncate', `truncate on ${table}`, always, 'access')
  }
}
