import { type ColumnDataType, type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import { postgresEngine } from './postgres-engine.ts'
import { type Search, sqliteSearch } from './search.ts'

type ColumnType = ColumnDataType | RawBuilder<unknown>

/** What migrations and transactions must know of an engine. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  /** Column types. A text sorts and compares by its code points, a timestamp keeps six digits. */
  text: ColumnType
  timestamp: ColumnType
  /** What a table that is ordered by its key ends with, where it is not so by itself. */
  clustered: RawBuilder<unknown> | undefined
  /** Columns that an index of templates carries, so that a filter need not read the rows: they hold the documents. */
  carried: string[]
  search: Search
  /** The table of traits where one template's are asked for, by the index that has them together. */
  traitsByTemplate: RawBuilder<unknown>
  /** Whether a number is one of those that a query finds: the query runs first, and once. */
  isOneOf(number: Expression<number>, query: RawBuilder<number>): RawBuilder<SqlBool>
  /** Whether one text is in another. */
  isIn(part: string, text: Expression<string | null>): RawBuilder<SqlBool>
  /** The value that all rows of a group have in a column. */
  sameInGroup(column: Expression<string | null>): RawBuilder<string>
  /** Makes what the planner knows of the templates up to date, after many were stored at once. */
  analyze(db: Db): Promise<void>
  /** The schema that tables are made in; undefined where there is one only. */
  schema(db: AnyDb): Promise<string | undefined>
  /** Until the end of the transaction nobody else migrates. */
  lockMigrations(transaction: AnyDb): Promise<void>
  /** Throws StartError for a connection of a host's that would change what is stored. */
  checkTypes(db: AnyDb): Promise<void>
}

const sqliteEngine: Engine = {
  name: 'sqlite',
  text: 'text',
  timestamp: 'text',
  clustered: sql`without rowid`,
  carried: [
    'name',
    'name_folded',
    'name_key',
    'component_name',
    'blockchain_id',
    'public_product',
    'max_items',
    'time_created',
    'time_modified'
  ],
  search: sqliteSearch,
  traitsByTemplate: sql`product_trait indexed by product_trait_template`,
  isOneOf: (number, query) => sql`${number} in (${query})`,
  isIn: (part, text) => sql`instr(${text}, ${part}) > 0`,
  // A column of no aggregate is of some row of the group; to find the least takes twice as long.
  sameInGroup: column => sql`${column}`,
  // Its statements say which index they mean.
  analyze: async () => {},
  schema: async () => undefined,
  // BEGIN IMMEDIATE has locked the file.
  lockMigrations: async () => {},
  checkTypes: async () => {}
}

/** The engine of a connection, a host's own too: by the parameters it writes, whatever its class is called. */
export const engineOf = (db: Db | AnyDb): Engine =>
  sql`${0}`.compile(db).sql === '$1' ? postgresEngine : sqliteEngine
