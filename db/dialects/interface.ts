import type { Dialect, Expression, RawBuilder, SqlBool } from 'kysely'
import type { AnyDb, Db } from '../schema.ts'
import type { postgresDefaults } from '../url.ts'

/** Settings of a database. A SQLite file has only `mustExist`. */
export interface DatabaseOptions extends Partial<typeof postgresDefaults> {
  /** Refuse a missing database file. */
  mustExist?: boolean
}

/** How an operation uses a database. */
export interface OperationDbOptions {
  /** Ends its statements, and its waiting for a connection. */
  signal?: AbortSignal | undefined
  /** Whether its statements only read and may take long, so that they must not block the event loop. */
  isLong?: boolean | undefined
}

/** Everything that an engine must offer. A method that takes `transaction` must be called in one. */
export interface Engine {
  name: 'sqlite' | 'postgres'
  /** Matches the database URLs of this engine. */
  url: RegExp
  /**
   * Opens the database of a URL and migrates it with the given function. Throws StartError if the database cannot be used.
   */
  open(url: string, options: DatabaseOptions, migrate: (db: Db) => Promise<unknown>): Promise<Db>
  /** Opens a pool of connections to a replica, which need not be reachable. Throws StartError if the engine has none. */
  openReplica(url: string, options: DatabaseOptions): Promise<Db>
  /** Opens the database of a URL so that reading changes nothing, not even the bytes of a file. */
  openUnchanged(url: string, settings: typeof postgresDefaults): Promise<Dialect>
  index: IndexTables
  search: Search
  traits: Traits
  syntax: Syntax
  /** Reads the versions in `product_version`, unless nothing was committed since the `known` mark of a reading. */
  readVersions(db: Db, known: unknown): Promise<VersionReading>
  /** Updates what the planner knows about the tables after many templates were written; not in a transaction. */
  analyze(db: Db): Promise<void>
  /**
   * Selects the next `id` of a sequence, if it may be used, and shares the lock `ids` until the end of the transaction;
   * undefined if the engine has no sequence.
   */
  takeId:
    | ((mayBeUsed: (id: RawBuilder<unknown>) => RawBuilder<boolean>) => RawBuilder<{ id: number }>)
    | undefined
  /**
   * Takes a lock until the end of the transaction, so that nobody else migrates, gives templates their ids or publishes
   * changes. A statement after it sees everything that was committed before.
   */
  lock(transaction: Db | AnyDb, subject: 'migrations' | 'ids' | 'changes' | 'imports'): Promise<void>
  /** Limits how long the statements of a transaction wait for locks, because others wait behind them. */
  limitLockWait(transaction: AnyDb): Promise<void>
  /** Checks that the database takes writes and has space for them; rejects if not. Changes nothing. */
  checkWritable(db: Db): Promise<void>
  /**
   * Removes bytes of replaced signing keys from the files of the database. Returns false if readers of former contents keep
   * it from doing so.
   */
  eraseRemains(db: Db): Promise<boolean>
  /** Reads the figures of the connections or the file; none for a host's own database. */
  readFigures(db: Db): Record<string, number | Record<string, number>>
  /** Tells a function the seconds that each writer waited for the file; returns the function that ends this. */
  observeWriters(db: Db, observe: (seconds: number) => void): () => void
  /** Returns the path of the file of the database; undefined if it has none of its own. */
  findFile(db: AnyDb): Promise<string | undefined>
  /** Whether statements block the event loop, unless they are those of a long operation. */
  blocksLoop(db: Db): boolean
  /** Returns the same database for an operation: see `operationDb`. Not for a transaction. */
  forOperation(db: Db, options: OperationDbOptions): Db
  /** Throws StartError if a host's connection would change stored values. */
  checkTypes(db: AnyDb): Promise<void>
}

/** Parts of statements that each engine writes in its own way. */
interface Syntax {
  /** `"a" = 0` as Kysely writes it for this engine. It tells the engine of a host's own Kysely instance. */
  comparison: string
  /** Returns the table of templates, read by the index that has the order of a column. */
  walkOrder(column: string): RawBuilder<unknown>
  /** Tests row by row whether an id is one of many. */
  isOneOf(id: RawBuilder<unknown>, ids: Int32Array | number[]): RawBuilder<SqlBool>
  /** Selects at most `limit` ids of a query as one JSON text, which is cheaper than a row each. */
  collectIds(query: RawBuilder<number>, limit?: number): RawBuilder<{ ids: string }>
  /** Joins the rows of a version in `product_version` to one text. */
  versionText: RawBuilder<string>
  /** Tests whether a text contains a part. */
  isIn(part: string, text: Expression<string | null>): RawBuilder<SqlBool>
  /** Ends a query, so that the rows it finds stay locked until the transaction ends. */
  lockRows: RawBuilder<unknown>
  /** Selects a row if a table exists, where tables are created. */
  findTable(name: string): RawBuilder<unknown>
}

export interface VersionReading {
  /** What was committed when the versions were read, for the engine alone; undefined if it cannot tell. */
  mark: unknown
  /** undefined if nothing was committed since the known mark. */
  rows: VersionRow[] | undefined
}

/** A version, whose rows are joined to one text. */
export interface VersionRow {
  name: 'templates' | 'access'
  value: string
}

/** The tables of the index that finds templates. */
export interface IndexTables {
  /** Creates the tables, empty; drops those of any other version. */
  create(db: Db): Promise<void>
  /** Inserts the entries of templates; those that it has of them are replaced. */
  replace(db: Db, entries: IndexEntry[]): Promise<void>
  /** Removes the entries of templates that do not exist. Looks only at the ids in `among`. */
  removeDeleted(db: Db, among: IdRange): Promise<void>
  /** Runs a job that writes and indexes these templates, so that it makes none of them pending. */
  write(db: Db, ids: number[], job: () => Promise<void>): Promise<void>
  /** Returns at most `limit` pending templates and removes them from the pending ones. */
  takePending(db: Db, limit: number): Promise<number[]>
  /** Tries to lock the index until the end of the transaction; returns false if another process has it locked. */
  lock(transaction: Db): Promise<boolean>
}

/** Some ids, or those over `above` up to `upTo`. */
export type IdRange = number[] | { above: number; upTo: number }

/** The contents of the index for one template. */
export interface IndexEntry {
  id: number
  foldedName: string
  /** Words of name, description and traits. */
  terms: string[]
  /** The values of its traits and the elements of those that are lists. */
  traits: TraitEntry[]
  /** Whether the index has this name already. */
  hasSameName?: boolean
  /** How its traits differ from those that the index has; undefined: it may have any. */
  changedTraits?: { removed: TraitEntry[]; added: TraitEntry[] }
}

export interface TraitEntry {
  /** Made by `typeKey`. */
  type: string
  /** Made by `valueKey` or `elementKey`. */
  key: string
}

/** Queries of the traits. */
export interface Traits {
  /** Tests whether a row of `product_template` has an entry of a trait: of the first type that exists in the store. */
  test(types: string[], condition: EntryCondition): RawBuilder<SqlBool>
  /** Selects the ids of the templates that have one, possibly with duplicates. */
  find(types: string[], condition: EntryCondition): RawBuilder<number>
  /** Selects the most frequent values of a trait, optionally among some templates; ties are ordered by text. */
  selectValues(type: string, first: number, among?: Int32Array): RawBuilder<TraitValue>
  /** Selects the values of the traits of a few templates: by trait, then as `selectValues`. */
  selectValuesOf(ids: Int32Array, first: number, types?: string[]): RawBuilder<TraitValue & { type: string }>
  /** Returns the key as it is stored; the same, or shorter. */
  storedKey(key: string): string
  /** The entries of a trait that facets show, optionally of some templates; as {@link entriesOf}. */
  shownEntries(type: string, among?: Int32Array): RawBuilder<unknown>
  /** The entries of a trait, also of a few templates: what stands after `from`, with conditions that may go on. */
  entriesOf(types: string[], few?: RawBuilder<number>): RawBuilder<unknown>
  /** All entries of a few templates, likewise. */
  entriesOfTemplates(ids: Int32Array): RawBuilder<unknown>
  /** Tests whether facets show an entry. */
  isShown: RawBuilder<SqlBool>
  /**
   * Returns the number that a text is, of at most 15 characters, with a point, or a comma before one or two decimals; null
   * if it is none, or null.
   */
  numberIn(text: Expression<string | null>): RawBuilder<number | null>
}

/** Which entries of a trait; all if nothing is said. */
export interface EntryCondition {
  /** Those with one of these keys. */
  keys?: string[]
  /** Strings that contain this part, and elements of a list that equal it. */
  part?: string
  /** Numbers within these bounds, also in text. */
  bounds?: Bounds
}

export interface Bounds {
  gt?: number
  gte?: number
  lt?: number
  lte?: number
}

export interface TraitValue {
  key: string
  /** Formatted for display. */
  text: string
  /** Number of templates with this value. */
  count: number
}

/** Full-text search of each engine over the terms of templates. Terms come from `searchTerms`. */
export interface Search {
  /** Tests whether each term is the prefix of a word of the template. */
  matches(id: Expression<number>, terms: string[]): RawBuilder<SqlBool>
  /** Selects the ids of the templates for which that is true. */
  ids(terms: string[]): RawBuilder<number>
  /** Selects those of some words that begin a term of a template. */
  selectExisting(words: string[]): RawBuilder<{ word: string }>
  /** Selects candidates whose folded name may contain `part`, by its trigrams; undefined if no index helps. */
  namedLike(part: string): RawBuilder<number> | undefined
}
