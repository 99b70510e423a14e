import { sql } from 'kysely'
import { columnsOf, createFunction, isPostgres, listColumns, type MigratedDb } from '../columns.ts'

/**
 * Creates the versions of the templates and of `access`, which is everything that can end a token before it expires. A
 * version is a random value that triggers replace in the transaction of each write. So equal versions mean equal
 * contents.
 */
export const raiseVersions = (db: MigratedDb): Promise<void> =>
  isPostgres(db) ? raiseOnPostgres(db) : raiseOnSqlite(db)

/** Columns whose update can end a token. An update of other columns, such as those that a login writes, cannot. */
const accessUpdates: Record<string, string[]> = {
  product_user: ['id', 'email', 'time_disabled', 'token_epoch', 'role', 'template_where'],
  product_client: ['id', 'time_disabled', 'token_epoch'],
  product_signing_key: ['id', 'private_jwk', 'time_retired'],
  product_token_family: ['id', 'time_revoked']
}

/** Columns of a revision, but not the hash and the position, which are set later. */
const revisionColumns = [
  'template_id',
  'number',
  'action',
  'subject',
  'client_id',
  'message',
  'time_recorded'
]

/** Lists columns of a row for a comparison. */
const list = (row: 'old' | 'new', columns: string[]): string => `(${listColumns(`${row}.`, columns)})`

/**
 * Each version has several rows. A writer changes one that no other writer has locked, or adds one. So writers never
 * wait for each other, and serializable writers seldom fail. A replica has everything that was committed at a version
 * if its counters are at least as high.
 */
async function raiseOnPostgres(db: MigratedDb): Promise<void> {
  await sql`create table product_version (
    name text collate "C" not null,
    number integer generated always as identity,
    value uuid not null default gen_random_uuid(),
    counter bigint not null default 0,
    primary key (name, number)
  ) with (fillfactor = 10)`.execute(db)
  await sql`insert into product_version (name)
    select name from (values ('access'), ('templates')) as version (name), generate_series(1, 32)`.execute(db)
  const raise = `update product_version set value = gen_random_uuid(), counter = counter + 1
    where name = tg_argv[0] and number = (
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
    // Then it also runs during replication, and in sessions that switch other triggers off.
    await sql.raw(`alter table ${table} enable always trigger product_version_${name}`).execute(db)
  }
  const ifAny = (rows: 'old' | 'new') =>
    `referencing ${rows} table as changed_rows for each statement execute function product_version_raise_if_any`
  const always = 'for each statement execute function product_version_raise'
  await trigger('insert', 'insert on product_template', ifAny('new'), 'templates')
  await trigger('update', 'update on product_template', ifAny('new'), 'templates')
  await trigger('delete', 'delete on product_template', ifAny('old'), 'templates')
  await trigger('truncate', 'truncate on product_template', always, 'templates')
  // Not for each row: until a transaction ends, each update of a version is slower than the last one.
  const rewritten = `update of ${listColumns('', revisionColumns)} on product_revision`
  await trigger('update', rewritten, always, 'templates')
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

/** One row for each version. */
async function raiseOnSqlite(db: MigratedDb): Promise<void> {
  const { text } = columnsOf(db)
  await sql`create table product_version (name ${text} primary key, value ${text} not null)`.execute(db)
  await sql`insert into product_version (name, value)
    values ('access', hex(randomblob(16))), ('templates', hex(randomblob(16)))`.execute(db)
  const trigger = (name: string, event: string, version: string, condition = '', when = 'after') =>
    sql
      .raw(`create trigger ${name} ${when} ${event} ${condition}
        begin update product_version set value = hex(randomblob(16)) where name = '${version}'; end`)
      .execute(db)
  for (const event of ['insert', 'update', 'delete'])
    await trigger(`product_version_template_${event}`, `${event} on product_template`, 'templates')
  const rewritten = `when ${list('old', revisionColumns)} is not ${list('new', revisionColumns)}`
  await trigger('product_version_revision_update', 'update on product_revision', 'templates', rewritten)
  await trigger('product_version_revision_delete', 'delete on product_revision', 'templates')
  await trigger('product_version_past_update', 'update on product_template_past', 'templates')
  await trigger('product_version_past_delete', 'delete on product_template_past', 'templates')
  await trigger('product_version_index', 'update on product_template_index', 'templates')
  await trigger('product_version_revocation', 'insert on product_revoked_token', 'access')
  for (const [table, columns] of Object.entries(accessUpdates)) {
    const changed = `when ${list('old', columns)} is not ${list('new', columns)}`
    await trigger(`product_version_${table}_update`, `update on ${table}`, 'access', changed)
    await trigger(`product_version_${table}_delete`, `delete on ${table}`, 'access')
    // "insert or replace" deletes without triggers.
    const same = table === 'product_user' ? 'id = new.id or email = new.email' : 'id = new.id'
    const replaces = `when exists (select 1 from ${table} where ${same})`
    await trigger(`product_version_${table}_replace`, `insert on ${table}`, 'access', replaces, 'before')
  }
}
