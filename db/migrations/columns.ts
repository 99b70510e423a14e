/** The shared parts of the migrations, which import code of this folder only. */
import { type Kysely, sql } from 'kysely'

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the types of the tables
export type MigratedDb = Kysely<any>

/** Whether the engine is PostgreSQL, which numbers parameters. */
export const isPostgres = (db: MigratedDb): boolean => sql`${0}`.compile(db).sql === '$1'

/** Returns the column types of the engine. */
export const columnsOf = (db: MigratedDb) => (isPostgres(db) ? postgresColumns : sqliteColumns)

const postgresColumns = {
  /** Sorts and compares by code point. */
  text: sql`text collate "C"`,
  /** Keeps six digits. */
  timestamp: sql`timestamptz(6)`,
  /** Has 64 bits. */
  long: sql`bigint`,
  bytes: sql`bytea`,
  /** A primary key that counts the rows. Their numbers are never used again. */
  sequence: sql`bigint generated always as identity primary key`,
  /** The condition that a column has a time that can be read: years from 1 to 9999, in the stored format. */
  isTime: (column: string) =>
    sql.raw(`${column} between '0001-01-01T00:00:00Z' and '9999-12-31T23:59:59.999999Z'`),
  /** Stands after the columns of a table. The engine then refuses values of other types. */
  strict: sql``
}

const sqliteColumns: typeof postgresColumns = {
  text: sql`text`,
  timestamp: sql`text`,
  long: sql`integer`,
  bytes: sql`blob`,
  sequence: sql`integer primary key autoincrement`,
  isTime: column => {
    const seconds = `substr(${column}, 1, 19)`
    const fraction = `'.${'[0-9]'.repeat(6)}Z'`
    return sql.raw(`${column} > '0001' and substr(${column}, 20) glob ${fraction}
      and ${seconds} is strftime('%Y-%m-%dT%H:%M:%S', ${seconds})`)
  },
  strict: sql`strict`
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
