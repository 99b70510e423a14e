import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Column types of an engine, for migrations only. Migrations import code of their own folder only. */
interface Columns {
  /** Sorts and compares by code point. */
  text: RawBuilder<unknown>
  /** Keeps six digits. */
  timestamp: RawBuilder<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the types of the tables
export type MigratedDb = Kysely<any>

/** Whether the engine is PostgreSQL, which numbers parameters. */
export const isPostgres = (db: MigratedDb): boolean => sql`${0}`.compile(db).sql === '$1'

export const columnsOf = (db: MigratedDb): Columns =>
  isPostgres(db)
    ? { text: sql`text collate "C"`, timestamp: sql`timestamptz(6)` }
    : { text: sql`text`, timestamp: sql`text` }

/** Lists columns for a statement. */
export const listColumns = (prefix: string, columns: string[]): string =>
  columns.map(column => prefix + column).join(', ')

/** Creates or replaces a trigger function on PostgreSQL. It runs as the owner of the tables, so any role may write. */
export async function createFunction(
  db: MigratedDb,
  name: string,
  body: string,
  settings = ''
): Promise<void> {
  await sql
    .raw(`do $do$ begin execute format($create$
      create or replace function ${name}() returns trigger language plpgsql
      security definer set search_path = %I, pg_temp ${settings} as $body$ begin ${body} end $body$
    $create$, current_schema()); end $do$`)
    .execute(db)
}

/** Replaces a trigger of the migration 0009: a change of these columns of a user raises the version `access`. */
export async function watchUsers(db: MigratedDb, columns: string[]): Promise<void> {
  const [former, current] = ['old.', 'new.'].map(row => sql.raw(`(${listColumns(row, columns)})`))
  if (isPostgres(db)) {
    await sql`drop trigger product_version_update on product_user`.execute(db)
    await sql`create trigger product_version_update after update on product_user for each row
      when (${former} is distinct from ${current})
      execute function product_version_raise ('access')`.execute(db)
    await sql`alter table product_user enable always trigger product_version_update`.execute(db)
  } else {
    await sql`drop trigger product_version_product_user_update`.execute(db)
    await sql`create trigger product_version_product_user_update after update on product_user
      when ${former} is not ${current}
      begin update product_version set value = hex(randomblob(16)) where name = 'access'; end`.execute(db)
  }
}
