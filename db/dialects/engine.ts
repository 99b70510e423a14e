import { type ColumnDataType, type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

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
  /** A query of these ids. */
  listIds(ids: Int32Array): RawBuilder<number>
  /** The ids that a query of one column finds, `limit` at most, as one JSON text: a row for each would cost more. */
  collectIds(query: RawBuilder<number>, limit?: number): RawBuilder<{ ids: string }>
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

/** Full-text search over the terms of a template, as each engine has it. Terms are made by `searchTerms`. */
export interface Search {
  create(db: AnyDb): Promise<void>
  insert(db: Db, templates: Searched[]): Promise<void>
  /** Whether the template has for each of the terms a word that begins with it. */
  matches(id: Expression<number>, terms: string[]): RawBuilder<SqlBool>
  /** The templates that do. */
  ids(terms: string[]): RawBuilder<number>
  /** The templates that may have the part in their folded name, and some more; undefined where no index knows. */
  namedLike(part: string): RawBuilder<number> | undefined
  /** As {@link namedLike}, in a text that is a trait's value. */
  traitLike(part: string): RawBuilder<number> | undefined
  /** The templates with an entry that meets the condition, part of which is that its text has the part; likewise. */
  withTraitLike(part: string, entry: Expression<SqlBool>): RawBuilder<number> | undefined
}

interface Searched {
  id: number
  terms: string[]
  foldedName: string
  /** The values of traits that are texts. */
  traitTexts: string[]
}

const engines = new WeakMap<object, Engine>()

/**
 * The engine of a database, or of a transaction on it. A host's own Kysely is told by the parameters that it
 * writes, once.
 */
export function engineOf(db: Db | AnyDb): Engine {
  const { adapter } = db.getExecutor()
  const known = engines.get(adapter)
  if (known) return known
  const engine = sql`${0}`.compile(db).sql === '$1' ? postgresEngine : sqliteEngine
  engines.set(adapter, engine)
  return engine
}
