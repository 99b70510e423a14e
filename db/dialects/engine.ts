import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnyDb, Db, TraitTable } from '../schema.ts'
import { postgresEngine } from './postgres/engine.ts'
import { sqliteEngine } from './sqlite/engine.ts'

/** The differences between the engines. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  index: IndexTables
  search: Search
  /** The table of traits, read by the index on the template. */
  traitsByTemplate: RawBuilder<unknown>
  /** Returns the table of templates, read by the index that has the order of a column. */
  walkOrder(column: string): RawBuilder<unknown>
  /** Selects these ids. */
  listIds(ids: Int32Array | number[]): RawBuilder<number>
  /** Selects at most `limit` ids of a query as one JSON text, which is cheaper than a row each. */
  collectIds(query: RawBuilder<number>, limit?: number): RawBuilder<{ ids: string }>
  /** Tests whether a text contains a part. */
  isIn(part: string, text: Expression<string | null>): RawBuilder<SqlBool>
  /** Selects a column whose value is the same in all rows of a group. */
  sameInGroup(column: Expression<string | null>): RawBuilder<string>
  /**
   * An expression that is true and lets the transaction of its statement commit without waiting for the disk; undefined if
   * the engine has none.
   */
  commitWithoutSync: RawBuilder<boolean> | undefined
  /** Updates the planner's statistics after a bulk load of templates. */
  analyze(db: Db): Promise<void>
  /** Returns the schema in which tables are created; undefined if the engine has no schemas. */
  schema(db: AnyDb): Promise<string | undefined>
  /** Takes a lock until the end of the transaction, so that nobody else migrates. */
  lockMigrations(transaction: AnyDb): Promise<void>
  /** Checks that the database responds and takes writes; rejects if it does not. */
  checkWritable(db: Db): Promise<void>
  /** Throws StartError if a host's connection would change stored values. */
  checkTypes(db: AnyDb): Promise<void>
}

/** The tables of the index that finds templates. */
export interface IndexTables {
  /** Creates the tables, empty; drops those of any other version. */
  create(db: Db): Promise<void>
  /** Inserts entries of templates that are not in the index. */
  insert(db: Db, entries: IndexEntry[]): Promise<void>
  remove(db: Db, ids: number[]): Promise<void>
  /** Removes the templates with ids over `above` up to `upTo`. */
  removeBetween(db: Db, above: number, upTo: number): Promise<void>
  /** Runs a job that writes and indexes these templates, so that they are not pending afterwards. */
  write(db: Db, ids: number[], job: () => Promise<void>): Promise<void>
  /** Returns at most `limit` pending templates and removes them from the pending ones. */
  takePending(db: Db, limit: number): Promise<number[]>
  /** Tries to lock the index until the end of the transaction; returns false if another process has it locked. */
  lock(transaction: Db): Promise<boolean>
}

/** The contents of the index for one template. */
export interface IndexEntry {
  id: number
  foldedName: string
  /** Words of name, description and traits. */
  terms: string[]
  traits: TraitEntry[]
  /** The string values of traits. */
  traitTexts: string[]
}

export type TraitEntry = Omit<TraitTable, 'template_id'>

/** Full-text search of each engine over the terms of templates. Terms come from `searchTerms`. */
export interface Search {
  /** Tests whether each term is the prefix of a word of the template. */
  matches(id: Expression<number>, terms: string[]): RawBuilder<SqlBool>
  /** Selects the ids of the templates for which that is true. */
  ids(terms: string[]): RawBuilder<number>
  /** Selects candidates whose folded name may contain `part`, by its trigrams; undefined if no index helps. */
  namedLike(part: string): RawBuilder<number> | undefined
  /** Like {@link namedLike}, for string values of traits. */
  traitLike(part: string): RawBuilder<number> | undefined
  /** Selects ids of templates with an entry matching `entry`, narrowed by the trigrams of `part`, or undefined. */
  withTraitLike(part: string, entry: Expression<SqlBool>): RawBuilder<number> | undefined
}

const engines = new WeakMap<object, Engine>()

/**
 * Returns the engine of a database or transaction. For a host's Kysely instance it is detected once, by the
 * placeholders that the instance writes.
 */
export function engineOf(db: Db | AnyDb): Engine {
  const { adapter } = db.getExecutor()
  const known = engines.get(adapter)
  if (known) return known
  const engine = sql`${0}`.compile(db).sql === '$1' ? postgresEngine : sqliteEngine
  engines.set(adapter, engine)
  return engine
}
