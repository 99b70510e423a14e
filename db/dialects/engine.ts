import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnyDb, Db, TraitTable } from '../schema.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

/** What migrations and transactions must know of an engine. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  index: IndexTables
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

/** The tables of the index that finds templates. */
export interface IndexTables {
  /** Makes them, empty, in place of those of any other version. */
  create(db: Db): Promise<void>
  /** Templates that it does not have. */
  insert(db: Db, entries: IndexEntry[]): Promise<void>
  remove(db: Db, ids: number[]): Promise<void>
  /** Removes all above one id up to another. */
  removeBetween(db: Db, above: number, upTo: number): Promise<void>
  /** Runs a job that writes these templates and indexes them: they are not pending after it. */
  write(db: Db, ids: number[], job: () => Promise<void>): Promise<void>
  /** Templates that are pending, at most `limit`, and from here on no more. */
  takePending(db: Db, limit: number): Promise<number[]>
  /** Whether nobody else rebuilds the index until the end of the transaction. */
  lock(transaction: Db): Promise<boolean>
}

/** What the index has of one template. */
export interface IndexEntry {
  id: number
  foldedName: string
  /** Words of name, description and traits. */
  terms: string[]
  traits: TraitEntry[]
  /** The values of traits that are texts. */
  traitTexts: string[]
}

export type TraitEntry = Omit<TraitTable, 'template_id'>

/** Full-text search over the terms of a template, as each engine has it. Terms are made by `searchTerms`. */
export interface Search {
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
