import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Column types of an engine, for migrations only. Migrations import code of their own folder only. */
interface Columns {
  /** Sorts and compares by code point. */
  text: RawBuilder<unknown>
  /** Keeps six digits. */
  timestamp: RawBuilder<unknown>
  /** Has 64 bits. */
  long: RawBuilder<unknown>
  bytes: RawBuilder<unknown>
  /** A primary key that counts the rows. Their numbers are never used again. */
  sequence: RawBuilder<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the types of the tables
export type MigratedDb = Kysely<any>

/** Whether the engine is PostgreSQL, which numbers parameters. */
export const isPostgres = (db: MigratedDb): boolean => sql`${0}`.compile(db).sql === '$1'

export const columnsOf = (db: MigratedDb): Columns =>
  isPostgres(db)
    ? {
        text: sql`text collate "C"`,
        timestamp: sql`timestamptz(6)`,
        long: sql`bigint`,
        bytes: sql`bytea`,
        sequence: sql`bigint generated always as identity primary key`
      }
    : {
        text: sql`text`,
        timestamp: sql`text`,
        long: sql`integer`,
        bytes: sql`blob`,
        sequence: sql`integer primary key autoincrement`
      }

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
