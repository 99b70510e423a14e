import { type ColumnDataType, type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * Column types of each engine, for migrations alone. Migrations are frozen: they import nothing that the rest of
 * the code may change.
 */
interface Columns {
  /** Sorts and compares by code points. */
  text: ColumnDataType | RawBuilder<unknown>
  /** Keeps six digits. */
  timestamp: ColumnDataType | RawBuilder<unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: a migration knows no types of tables
export type MigratedDb = Kysely<any>

/** PostgreSQL is the engine that numbers its parameters. */
export const isPostgres = (db: MigratedDb): boolean => sql`${0}`.compile(db).sql === '$1'

export const columnsOf = (db: MigratedDb): Columns =>
  isPostgres(db)
    ? { text: sql`text collate "C"`, timestamp: sql`timestamptz(6)` }
    : { text: 'text', timestamp: 'text' }
