import { sql } from 'kysely'
import type { MigratedDb } from '../columns.ts'

/** Creates or replaces a function for triggers of PostgreSQL. It runs as the owner of the tables, so any role may write. */
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
