import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Column types of each engine, for migrations only. Migrations are frozen: they import no code that may change. */
interface Columns {
  /** Sorts and compares by code point. */
  text: RawBuilder<unknown>
  /** Keeps six digits. */
  timestamp: RawBuilder<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: migrations do not use the types of the tables
export type MigratedDb = Kysely<any>

/** Detects PostgreSQL by its numbered parameters. */
export const isPostgres = (db: MigratedDb): boolean => sql`${0}`.compile(db).sql === '$1'

export const columnsOf = (db: MigratedDb): Columns =>
  isPostgres(db)
    ? { text: sql`text collate "C"`, timestamp: sql`timestamptz(6)` }
    : { text: sql`text`, timestamp: sql`text` }

/** Lists columns for a statement. */
export const listColumns = (prefix: string, columns: string[]): string =>
  columns.map(column => prefix + column).join(', ')
